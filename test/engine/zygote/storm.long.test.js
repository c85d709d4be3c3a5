/** Many forks leave nothing. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { extent } from '../../support/extent.js';
import { until } from '../helpers.js';
import { childrenOf, spareOf, standsStill, zygoteOf } from './helpers.js';

const IN_A_ROW = extent(100, 1000);
const AT_ONCE = extent(25, 100);

/** @param {number | string} pid */
const descriptors = (pid) => readdirSync(`/proc/${pid}/fd`).length;
/** @param {number} pid @returns {number} its private memory, KiB */
const privateKib = (pid) =>
  Number(/^Private_Dirty:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1]);

test(`${IN_A_ROW} forks in a row leave no descriptor, no zombie and no memory`, async (t) => {
  const zygote = await zygoteOf(
    t,
    'data:text/javascript,export default (args, worker) => worker.send(args * 2)',
  );
  /** @param {number} number */
  const once = async (number) => {
    const child = await zygote.fork(number);
    const [answer] = await new Promise((resolve) =>
      child.once('message', (value) => resolve([value])),
    );
    const { code } = await child.exited;
    assert.deepEqual([answer, code], [number * 2, 0]);
  };
  await once(0);
  const { pid } = zygote;
  const look = async () => {
    await standsStill(pid);
    return { main: descriptors('self'), zygote: descriptors(pid) };
  };
  const before = await look();
  const kib = privateKib(pid);
  for (let i = 1; i <= IN_A_ROW; i++) await once(i);
  assert.deepEqual(await look(), before);
  assert.equal(zygote.pid, pid);
  assert.deepEqual(childrenOf(pid), [spareOf(pid)]);
  assert.deepEqual(zygote.children, []);
  const grown = privateKib(pid) - kib;
  assert.ok(grown < 64, `the zygote has written to ${grown} KiB`);
});

test(`${AT_ONCE} forks at once all run, and all end`, async (t) => {
  const zygote = await zygoteOf(
    t,
    `data:text/javascript,export default (_, worker) =>
      worker.on('message', (value) => {
        if (value === 'end') process.exit();
        worker.send(value);
      })`,
  );
  const before = descriptors('self');
  const running = await Promise.all(Array.from({ length: AT_ONCE }, () => zygote.fork()));
  assert.equal(new Set(running.map(({ pid }) => pid)).size, AT_ONCE);
  const there = new Set(childrenOf(zygote.pid));
  assert.ok(running.every(({ pid }) => there.has(pid)));
  const answers = running.map(
    (child, i) =>
      new Promise((resolve) => {
        child.once('message', resolve);
        child.send(i);
      }),
  );
  assert.deepEqual(
    await Promise.all(answers),
    running.map((_, i) => i),
  );
  for (const child of running) child.send('end');
  const exits = await Promise.all(running.map((child) => child.exited));
  assert.ok(exits.every(({ code, orphaned }) => code === 0 && !orphaned));
  const spared = () => String(childrenOf(zygote.pid)) === String(spareOf(zygote.pid));
  await until(spared, 'nothing is left of them but the next one');
  await until(() => descriptors('self') <= before, 'their descriptors are closed');
});

test('forks go well while heaps are busy: garbage is collected on all sides', async (t) => {
  const zygote = await zygoteOf(
    t,
    `data:text/javascript,${encodeURIComponent(`
      let kept = [];
      const churn = () => {
        kept = [];
        for (let i = 0; i < 100_000; i++) kept.push({ i, text: 'x' + i });
      };
      export { churn as warm };
      export default (rounds, worker) => {
        const seen = kept.length;
        for (let i = 0; i < rounds; i++) churn();
        worker.send([seen, kept[99_999].text]);
      };`)}`,
  );
  const rounds = Array.from({ length: extent(12, 60) }, async (_, i) => {
    if (i % 6 === 0) await zygote.warm(undefined);
    const child = await zygote.fork(5);
    const seen = await new Promise((resolve) => child.once('message', resolve));
    assert.deepEqual(seen, [100_000, 'x99999']);
    assert.equal((await child.exited).code, 0);
  });
  await Promise.all(rounds);
});

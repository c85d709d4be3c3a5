/** The spare: a child that is forked ahead. Runs on every Node.js by nodes.long.test.js. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { until } from '../helpers.js';
import { ask, isAlive, probe, spareOf, untidyZygote } from './helpers.js';

/** @param {import('../../../app/engine/zygote/index.js').Zygote} zygote @param {number} [not] */
async function spareIn(zygote, not) {
  const there = () => (spareOf(zygote.pid) ?? not) !== not;
  await until(there, 'a spare is forked');
  return /** @type {number} */ (spareOf(zygote.pid));
}

test('a start uses the spare with its own options; another spare follows', async (t) => {
  const zygote = await untidyZygote(t);
  const spare = await spareIn(zygote);
  const options = { name: 'mine', niceness: 7, cpus: [0], memoryMb: 64 };
  const { child, messages } = await probe(zygote, 'identity', undefined, options);
  assert.equal(child.pid, spare);
  assert.equal(messages[0].pid, spare);
  assert.notEqual(await spareIn(zygote, spare), spare);
});

test('a killed spare is replaced; a start meanwhile forks at once', async (t) => {
  const zygote = await untidyZygote(t);
  const spare = await spareIn(zygote);
  process.kill(spare, 'SIGKILL');
  await until(() => !isAlive(spare), 'it has ended');
  const { pid } = await ask(zygote, 'identity');
  assert.notEqual(pid, spare);
  await spareIn(zygote, spare);
});

test('a spare ends when its zygote dies', async (t) => {
  const zygote = await untidyZygote(t);
  const spare = await spareIn(zygote);
  process.kill(zygote.pid, 'SIGKILL');
  await until(() => !isAlive(spare), 'it has ended');
  await ask(zygote, 'identity');
});

test('warm() replaces the spare', async (t) => {
  const source = `let learnt;
    export const warm = (args) => { learnt = args; };
    export default (_, worker) => worker.send(learnt);`;
  const zygote = await createZygote(`data:text/javascript,${encodeURIComponent(source)}`, {
    args: 'first',
  });
  t.after(() => zygote.close());
  const spare = await spareIn(zygote);
  await zygote.warm('second');
  await spareIn(zygote, spare);
  const { child, messages } = await probe(zygote, '');
  assert.deepEqual(messages, ['second']);
  assert.notEqual(child.pid, spare);
  assert.equal(isAlive(spare), false);
});

test('the option spare: false forks none', async (t) => {
  const zygote = await untidyZygote(t, { spare: false });
  await ask(zygote, 'identity');
  await new Promise((resolve) => setTimeout(resolve, 500)); // several times as long as it takes
  assert.equal(spareOf(zygote.pid), undefined);
});

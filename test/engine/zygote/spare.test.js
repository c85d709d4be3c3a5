/** The child that is forked ahead. Run on every Node by nodes.test.js. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { until } from '../helpers.js';
import { ask, isAlive, probe, spareOf, untidyZygote } from './helpers.js';

/** @param {import('../../../app/engine/zygote/index.js').Zygote} zygote @param {number} [not] */
async function spareIn(zygote, not) {
  const there = () => (spareOf(zygote.pid) ?? not) !== not;
  await until(there, 'the next child is forked ahead');
  return /** @type {number} */ (spareOf(zygote.pid));
}

test('a start takes the child that was forked ahead, set up as asked; another one follows', async (t) => {
  const zygote = await untidyZygote(t);
  const spare = await spareIn(zygote);
  const options = { name: 'mine', niceness: 7, cpus: [0], memoryMb: 64 };
  const { child, messages } = await probe(zygote, 'identity', undefined, options);
  assert.equal(child.pid, spare);
  assert.equal(messages[0].pid, spare);
  assert.notEqual(await spareIn(zygote, spare), spare);
});

test('one that is killed is replaced, and a start meanwhile is forked at once', async (t) => {
  const zygote = await untidyZygote(t);
  const spare = await spareIn(zygote);
  process.kill(spare, 'SIGKILL');
  await until(() => !isAlive(spare), 'it has ended');
  const { pid } = await ask(zygote, 'identity');
  assert.notEqual(pid, spare);
  await spareIn(zygote, spare);
});

test('one whose zygote dies ends', async (t) => {
  const zygote = await untidyZygote(t);
  const spare = await spareIn(zygote);
  process.kill(zygote.pid, 'SIGKILL');
  await until(() => !isAlive(spare), 'it has ended');
  await ask(zygote, 'identity');
});

test('after another warm-up it is a new one, which knows what was learnt', async (t) => {
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

test('there is none where none is wanted', async (t) => {
  const zygote = await untidyZygote(t, { spare: false });
  await ask(zygote, 'identity');
  await new Promise((resolve) => setTimeout(resolve, 500)); // several times as long as it takes
  assert.equal(spareOf(zygote.pid), undefined);
});

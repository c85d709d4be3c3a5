import assert from 'node:assert/strict';
import test from 'node:test';
import { silentLog } from '../../app/log.js';
import { Autosave } from '../../app/storage/autosave.js';

test('the first failure and the first success after it are logged', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  /** @type {string[]} */
  const logged = [];
  let changes = 0;
  let broken = true;
  let done = () => {};
  const autosave = new Autosave({
    files: /** @type {any} */ ({}),
    matches: () => [],
    savePeople: async () => {
      queueMicrotask(() => queueMicrotask(() => setImmediate(done)));
      if (broken) throw new Error('It broke.');
    },
    log: { ...silentLog, warn: () => logged.push('warn'), info: () => logged.push('info') },
    problemChanged: () => changes++,
  });
  const tick = () =>
    new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
      done = resolve;
      t.mock.timers.tick(1000);
    });
  autosave.start(1000);
  await tick();
  await tick();
  assert.equal(autosave.problem, 'It broke');
  broken = false;
  await tick();
  assert.equal(autosave.problem, undefined);
  assert.deepEqual(logged, ['warn', 'info']);
  assert.equal(changes, 2, 'both are reported');
  autosave.stop();
});

/** Wrong options of engines and workers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINES, createBestEngine, createEngine } from '../../app/engine/index.js';
import { engineTests, jobUrl, countSizes as sizes } from './helpers.js';

/** @param {Promise<unknown>} promise @param {RegExp} message */
const refused = (promise, message) =>
  assert.rejects(promise, { code: 'PITV_OPTION_INVALID', message });

test('createEngine() names a wrong option', async () => {
  /** @type {[any, RegExp][]} */
  const wrong = [
    [{ maxWorker: 4 }, /there is no option "maxWorker"\. Options: log, maxWorkers/],
    [{ maxWorkers: 0 }, /maxWorkers must be a whole number from 1 to 256, not 0/],
    [{ hangMs: 1 }, /hangMs/],
    [{ heapMb: 2.5 }, /heapMb/],
    [{ memoryMb: -1 }, /memoryMb/],
    [{ modules: ['./count.js'] }, /modules must be .* an absolute URL/],
    [{ thorough: 1 }, /thorough/],
    [{ spawn: {} }, /spawn must be a function/],
    [{ rehearsal: { tick: 3 } }, /rehearsal of createEngine\(\): there is no option "tick"/],
    [{ inspectDir: 5 }, /inspectDir/],
    [{ strictFrames: 'yes' }, /strictFrames must be true or false/],
    [{ log: 'loud' }, /log/],
  ];
  for (const name of ENGINES) {
    for (const [options, message] of wrong) await refused(createEngine(name, options), message);
  }
});

test('createBestEngine() tries no further engine after a wrong option', async () => {
  /** @type {string[]} */
  const asked = [];
  const optionsFor = (/** @type {string} */ name) => {
    asked.push(name);
    return /** @type {any} */ ({ maxWorker: 1 });
  };
  await refused(createBestEngine(optionsFor), /maxWorker/);
  assert.equal(asked.length, 1);
  await refused(createBestEngine(/** @type {any} */ ({})), /optionsFor must be a function/);
});

for (const name of ENGINES) {
  const testEngine = engineTests(name);
  testEngine(`${name}: start() and stop() refuse wrong options`, async (engine) => {
    /** @type {[any, RegExp][]} */
    const wrong = [
      [{ sizes, name: 42 }, /name/],
      [{ sizes, niceness: 99 }, /niceness must be a whole number from 0 to 19, not 99/],
      [{ sizes, tickHz: 0 }, /tickHz/],
      [{ sizes, checkpointTicks: '5' }, /checkpointTicks/],
      [{ sizes, signal: {} }, /signal must be an instance of AbortSignal/],
      [{ sizes, mailbox: {} }, /mailbox must be a mailbox of this engine/],
      [{ sizes: 5 }, /sizes must be an object/],
      [{ sizes: { ...sizes, frameByte: 1 } }, /sizes of a mailbox: there is no option "frameByte"/],
      [{ sizes, option: {} }, /there is no option "option"/],
      [{ sizes, lock: {} }, /lock of start\(\): readable must be an array/],
      [{ sizes, lock: { readable: ['a\nb'] } }, /readable must be an array/],
      [{ sizes, lock: { paths: [] } }, /lock of start\(\): there is no option "paths"/],
    ];
    for (const [options, message] of wrong) {
      await refused(engine.start(jobUrl('count'), options), message);
    }
    for (const url of ['count.js', undefined, 7]) {
      await refused(engine.start(/** @type {any} */ (url), { sizes }), /moduleUrl/);
    }
    await assert.rejects(engine.start(jobUrl('count')), { code: 'PITV_MAILBOX_SIZE' });
    assert.deepEqual(engine.workers, []);

    const worker = await engine.start(jobUrl('count'), { sizes });
    await refused(worker.stop({ graceMs: -1 }), /graceMs must be a whole number from 0 to 600000/);
    await refused(worker.stop(/** @type {any} */ ({ grace: 1 })), /grace/);
    await refused(engine.close({ graceMs: NaN }), /graceMs/);
    assert.deepEqual(engine.workers, [worker]);
    assert.equal((await worker.stop()).reason, 'stopped');
  });
}

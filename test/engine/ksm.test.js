import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { ksmEngineOptions, ksmLevel } from '../../app/engine/ksm.js';
import { probeFeatures } from '../../ksm/features.js';
import { isMergeable } from '../../ksm/processes.js';
import { Client, faultyGame, metricsOf, startTv } from '../support/tv.js';

const games = [faultyGame];
const all = { ...probeFeatures(), madvise: true, prctl: true, personality: true };
const none = { ...all, madvise: false, prctl: false };
const noKsm = probeFeatures().prctl ? false : 'needs Linux 6.4 with KSM';

/** @returns {any} a log with its warnings */
function listening() {
  const warned = /** @type {string[]} */ ([]);
  return {
    warned,
    info() {},
    warn: (/** @type {unknown} */ _, /** @type {string} */ text) => warned.push(text),
  };
}

test('auto is seeds where engine and kernel support it, else off, without a warning', () => {
  const log = listening();
  assert.equal(ksmLevel({ engine: 'process', ksm: 'auto' }, log, all), 'seeds');
  assert.equal(ksmLevel({ engine: 'process', ksm: 'auto' }, log, none), 'off');
  assert.equal(ksmLevel({ engine: 'thread', ksm: 'auto' }, log, all), 'off');
  // Forked workers share equal pages anyway.
  assert.equal(ksmLevel({ engine: 'zygote', ksm: 'auto' }, log, all), 'off');
  assert.deepEqual(log.warned, []);
});

test('a requested level is used; where that is impossible, the log says why', () => {
  const log = listening();
  assert.equal(ksmLevel({ engine: 'process', ksm: 'mark' }, log, all), 'mark');
  assert.equal(ksmLevel({ engine: 'process', ksm: 'identical' }, log, all), 'identical');
  assert.equal(ksmLevel({ engine: 'zygote', ksm: 'seeds' }, log, all), 'seeds');
  assert.equal(ksmLevel({ engine: 'process', ksm: 'seeds' }, log, none), 'off');
  const sandboxed = { ...all, personality: false };
  assert.equal(ksmLevel({ engine: 'process', ksm: 'identical' }, log, sandboxed), 'seeds');
  assert.equal(log.warned.length, 2);
  assert.throws(() => ksmLevel({ engine: 'thread', ksm: 'mark' }, log, all), {
    code: 'PITV_USAGE',
    message: '--ksm mark needs --engine process or zygote, not thread.',
  });
});

test('only seeds and identical rehearse', () => {
  assert.deepEqual(ksmEngineOptions('off'), {});
  assert.equal(ksmEngineOptions('mark').rehearsal, undefined);
  assert.ok((ksmEngineOptions('seeds').rehearsal?.ticks ?? 0) > 0);
});

for (const level of /** @type {const} */ (['off', 'mark', 'seeds', 'identical'])) {
  test(
    `--ksm ${level}: which processes are marked, and what /metrics reports`,
    { skip: noKsm },
    async (t) => {
      const tv = await startTv(t, { games, args: ['--engine', 'process', '--ksm', level] });
      const screen = await Client.screen(tv);
      screen.send({ t: 'start', game: 'faulty' });
      await screen.moreFrames(5);
      const [{ pid }] = tv.engine.workers;
      assert.equal(isMergeable(pid), level !== 'off');
      assert.equal(isMergeable(process.pid), false, 'the main process is never marked');
      const unlike = readFileSync(`/proc/${pid}/personality`, 'latin1').trim();
      assert.equal(parseInt(unlike, 16) & 0x40000, level === 'identical' ? 0x40000 : 0);
      const metrics = [...(await metricsOf(tv)).keys()];
      assert.equal(metrics.includes(`pitv_ksm_level{level="${level}"}`), level !== 'off');
      for (const name of ['pitv_ksm_saved_bytes', 'pitv_ksm_scanning', 'pitv_ksm_profit_bytes']) {
        assert.equal(metrics.includes(name), level !== 'off', name);
      }
      assert.equal(metrics.includes(`pitv_worker_ksm_pages{pid="${pid}"}`), level !== 'off');
    },
  );
}

for (const level of /** @type {const} */ (['seeds', 'identical'])) {
  test(`the children of a zygote inherit level ${level}`, { skip: noKsm }, async (t) => {
    const tv = await startTv(t, { games, args: ['--engine', 'zygote', '--ksm', level] });
    const screen = await Client.screen(tv);
    screen.send({ t: 'start', game: 'faulty' });
    await screen.moreFrames(5);
    const [{ pid }] = tv.engine.workers;
    assert.equal(isMergeable(pid), true);
    const unlike = readFileSync(`/proc/${pid}/personality`, 'latin1').trim();
    assert.equal(parseInt(unlike, 16) & 0x40000, level === 'identical' ? 0x40000 : 0);
    assert.equal(isMergeable(process.pid), false, 'the main process is never marked');
  });
}

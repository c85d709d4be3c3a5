import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { ksmEngineOptions, ksmLevel } from '../../app/engine/ksm.js';
import { probeFeatures } from '../../ksm/features.js';
import { isMergeable } from '../../ksm/processes.js';
import { extent } from '../support/extent.js';
import { Client, faultyGame, metricsOf, startTv } from '../support/tv.js';
import { recorder } from './helpers.js';

const games = [faultyGame];
const all = { ...probeFeatures(), madvise: true, prctl: true, personality: true };
const none = { ...all, madvise: false, prctl: false };
const noKsm = probeFeatures().prctl ? false : 'needs Linux 6.4 with KSM';

test('auto is seeds where engine and kernel support it, else off, without a warning', () => {
  const { log, warnings } = recorder();
  assert.equal(ksmLevel({ engine: 'process', ksm: 'auto' }, log, all), 'seeds');
  assert.equal(ksmLevel({ engine: 'process', ksm: 'auto' }, log, none), 'off');
  assert.equal(ksmLevel({ engine: 'thread', ksm: 'auto' }, log, all), 'off');
  // Forked workers share equal pages anyway.
  assert.equal(ksmLevel({ engine: 'zygote', ksm: 'auto' }, log, all), 'off');
  assert.deepEqual(warnings, []);
});

test('a requested level is used; where that is impossible, the log says why', () => {
  const { log, warnings } = recorder();
  assert.equal(ksmLevel({ engine: 'process', ksm: 'mark' }, log, all), 'mark');
  assert.equal(ksmLevel({ engine: 'process', ksm: 'identical' }, log, all), 'identical');
  assert.equal(ksmLevel({ engine: 'zygote', ksm: 'seeds' }, log, all), 'seeds');
  assert.equal(ksmLevel({ engine: 'process', ksm: 'seeds' }, log, none), 'off');
  const sandboxed = { ...all, personality: false };
  assert.equal(ksmLevel({ engine: 'process', ksm: 'identical' }, log, sandboxed), 'seeds');
  assert.equal(warnings.length, 2);
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

/** @type {[string, 'off' | 'mark' | 'seeds' | 'identical'][]} */
const LEVELS = [
  ['process', 'off'],
  ['process', 'mark'],
  ['process', 'seeds'],
  ['process', 'identical'],
  ['zygote', 'seeds'],
  ['zygote', 'identical'],
];
for (const [engine, level] of extent(LEVELS.slice(-1), LEVELS)) {
  const title = `${engine}: --ksm ${level}: which processes are marked, and what /metrics reports`;
  test(title, { skip: noKsm }, async (t) => {
    const tv = await startTv(t, { games, args: ['--engine', engine, '--ksm', level] });
    const screen = await Client.screen(tv);
    screen.send({ t: 'start', game: 'faulty' });
    await screen.moreFrames(5);
    const [{ pid }] = tv.engine.workers;
    assert.equal(isMergeable(pid), level !== 'off');
    assert.equal(isMergeable(process.pid), false, 'the main process is never marked');
    const unlike = readFileSync(`/proc/${pid}/personality`, 'latin1').trim();
    assert.equal(parseInt(unlike, 16) & 0x40000, level === 'identical' ? 0x40000 : 0);
    const metrics = [...(await metricsOf(tv)).keys()];
    for (const name of [
      `pitv_ksm_level{level="${level}"}`,
      `pitv_worker_ksm_pages{pid="${pid}"}`,
      'pitv_ksm_saved_bytes',
      'pitv_ksm_scanning',
      'pitv_ksm_profit_bytes',
    ]) {
      assert.equal(metrics.includes(name), level !== 'off', name);
    }
  });
}

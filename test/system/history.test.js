import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import test from 'node:test';
import { Recorder, SAMPLES } from '../../app/system/history.js';
import { temporaryFolder } from '../support/folders.js';

/** @param {string} name @param {number} pid @param {number} unreclaimableKib @param {string | null} [game] */
const memory = (name, pid, unreclaimableKib, game = null) => ({
  name,
  pid,
  game,
  memory: { unreclaimableKib },
});

/** Makes a recorder of a TV with two matches and two connected phones. @param {Record<string, string>} [files] */
function makeRecorder(files = {}) {
  const root = temporaryFolder(files);
  const lobby = Object.assign(new EventEmitter(), {
    matches: [{}, {}],
    players: { all: [{ connected: true }, { connected: false }, { connected: true }] },
  });
  const usage = { takeLateTicks: () => 4, recentProcesses: () => undefined };
  return { recorder: new Recorder({ usage, lobby: /** @type {any} */ (lobby), root }), lobby };
}

test('the samples are in their order, at times of the wall clock', () => {
  const { recorder } = makeRecorder();
  const [before, start] = [Date.now(), performance.now()];
  for (let i = 0; i < 3; i++) recorder.add(start + 1000 * i, { matches: i });
  const { at, now, columns } = recorder.read();
  assert.ok(at[0] >= before - 5 && at[0] <= now + 5, `${at[0]} is between ${before} and ${now}`);
  const since = at.map((ms) => Math.round((ms - at[0]) / 10));
  assert.deepEqual(since, [0, 100, 200]);
  assert.deepEqual(columns.matches, [0, 1, 2]);
});

test('the ring keeps an hour, and forgets older samples and their processes', () => {
  const { recorder: ring } = makeRecorder();
  ring.add(0, {}, [memory('worker', 7, 100, 'bumper')]);
  for (let i = 1; i <= SAMPLES; i++) ring.add(i, { restarts: i }, [memory('main', 1, i)]);
  const { at, columns, processes } = ring.read();
  assert.equal(SAMPLES, 240);
  assert.equal(at.length, SAMPLES);
  assert.equal(columns.restarts[0], 1);
  assert.equal(columns.restarts.at(-1), SAMPLES);
  const [{ name }, ...more] = Object.values(processes);
  assert.deepEqual([name, more], ['main', []]);
});

test('unknown values and unmeasured memory are null', () => {
  const { recorder: ring } = makeRecorder();
  ring.add(0, { celsius: 48.312 });
  ring.add(1, { throttled: 0 }, [memory('main', 1, 2048.4), memory('worker', 9, 1024, 'bumper')]);
  const { columns, memory: samples, processes } = ring.read();
  assert.deepEqual(columns.celsius, [48.31, null]);
  assert.deepEqual(columns.throttled, [null, 0]);
  assert.equal(samples[0], null);
  const [mainKey, mainKib, workerKey, workerKib] = samples[1] ?? [];
  assert.deepEqual([mainKib, workerKib], [2048, 1024]);
  assert.deepEqual(processes[mainKey], { name: 'main', pid: 1, game: null });
  assert.deepEqual(processes[workerKey], { name: 'worker', pid: 9, game: 'bumper' });
});

test('processes beyond the maximum of a sample are summed up as other', () => {
  const { recorder: ring } = makeRecorder();
  const many = Array.from({ length: 40 }, (_, i) => memory('worker', 100 + i, 10, 'bumper'));
  ring.add(0, {}, many);
  const { memory: samples, processes } = ring.read();
  const kib = (samples[0] ?? []).filter((_, i) => i % 2 === 1);
  assert.deepEqual(kib, [...Array(15).fill(10), 400 - 15 * 10]);
  assert.ok(Object.values(processes).some(({ name }) => name === 'other'));
});

const LOOP = { p50: 0.5, p99: 2, max: 30 };

test('a sample has loop delay, late ticks, matches, connected phones and restarts since the last one', async () => {
  const { recorder, lobby } = makeRecorder();
  lobby.emit('restart');
  lobby.emit('restart');
  await recorder.record(LOOP);
  await recorder.record(LOOP);
  const { columns, at, memory: samples } = recorder.read();
  assert.equal(at.length, 2);
  assert.deepEqual(columns.loopP99Ms, [2, 2]);
  assert.deepEqual(columns.lateTicks, [4, 4]);
  assert.deepEqual(columns.matches, [2, 2]);
  assert.deepEqual(columns.phones, [2, 2]);
  assert.deepEqual(columns.restarts, [2, 0]);
  assert.deepEqual(columns.celsius, [null, null]);
  assert.deepEqual(columns.throttled, [null, null]);
  assert.deepEqual(samples, [null, null], 'nobody asked for the memory');
});

test('a sample has the temperature and the current power flags of the board', async () => {
  const { recorder } = makeRecorder({
    'sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n',
    'sys/class/thermal/thermal_zone0/temp': '81500\n',
    'sys/devices/platform/soc/soc:firmware/get_throttled': '50005\n',
  });
  await recorder.record(LOOP);
  const { columns } = recorder.read();
  assert.deepEqual(columns.celsius, [81.5]);
  assert.deepEqual(columns.throttled, [0b101], 'under-voltage and throttled');
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { factRows, powerText, processTable, wifiText } from '../../app/web/admin/system-view.js';
import { size } from '../../app/web/admin/view.js';
import { problemText } from '../../app/web/lib/reports.js';
import { progressText, systemText } from '../../app/web/admin/updates.js';
import { rowsOf } from '../../app/web/admin/widgets.js';

/** @typedef {import('../../app/web/admin/system-view.js').Process} Process */

/** @type {Pick<Process, 'game' | 'command' | 'unreclaimableKib' | 'pssKib' | 'ksmPages'>} */
const NOTHING = { game: null, command: '', unreclaimableKib: null, pssKib: null, ksmPages: null };
const MERGED = { ...NOTHING, game: 'bumper', ksmPages: 256 };
/** @type {import('../../app/web/admin/system-view.js').Facts} */
const facts = {
  name: 'pitv',
  model: 'Raspberry Pi 2',
  versions: { pitv: '1.0.0', node: '20.19.2', kernel: '6.12', arch: 'arm' },
  uptimeS: 3700,
  cpus: 4,
  load: [0.5, 0.4, 0.3],
  urls: ['http://10.0.0.2', 'http://pitv.local'],
  problems: [],
  wifi: [{ interface: 'wlan0', network: 'Home', signalDbm: -65 }],
  celsius: 81.25,
  power: undefined,
  memory: { bytes: 970e6, availableBytes: 700e6, swapBytes: 400e6, swapFreeBytes: 390e6 },
  disk: { bytes: 8e9, freeBytes: 7e9 },
  writtenBytes: 5e6,
  processes: [
    { ...NOTHING, name: 'main', pid: 5, unreclaimableKib: 10_240, pssKib: 40_000 },
    { ...MERGED, name: 'worker', pid: 6, unreclaimableKib: 1024, pssKib: 2000 },
    { ...NOTHING, name: 'other', pid: 7, command: 'ffmpeg' },
  ],
  ksm: { level: 'seeds', scanning: true, savedBytes: 3e6 },
  paper: { runningMs: null, lines: [], failure: null, reportAt: null },
  canSwitchOff: true,
  volume: 70,
  update: null,
  node: null,
  packages: null,
};

/** @param {string} fact @param {Partial<typeof facts>} [more] @returns {{text?: string, level?: string}} */
const rowOf = (fact, more) =>
  factRows({ ...facts, ...more }).find(({ name }) => name === fact) ?? {};

test('every fact has a row', () => {
  for (const [fact, text, level] of [
    ['Addresses', 'http://10.0.0.2  http://pitv.local', ''],
    ['Wi-Fi', 'Home, -65 dBm (fair)', ''],
    ['Temperature', '81.3 °C', 'bad'],
    [
      'Memory',
      '668 MiB of 925 MiB available; the whole TV 11.0 MiB unreclaimable, 41.0 MiB PSS',
      '',
    ],
    ['KSM', 'level seeds, scanning, saves 2.9 MiB', ''],
    ['Up', '1 h 1 min, load 0.50, cores: 4', ''],
    ['Node.js', undefined, undefined],
  ]) {
    const row = rowOf(String(fact));
    assert.deepEqual([row.text, row.level], [text, level]);
  }
});

test('the packages of a card are bad without security updates, and say how to get newer ones', () => {
  const date = '2026-11-21';
  const [own, security] = ['trixie', 'trixie-security'].map((suite) => ({ suite, date }));
  const [fresh, old] = [1, 50].map((days) => ({ packages: { days, isDue: days > 30 } }));
  const update = /** @type {any} */ ({});
  for (const [more, text, level] of /** @type {[Partial<typeof facts>, RegExp, string][]} */ ([
    [{ suites: [own, security] }, /^trixie 2026-11-21 · trixie-security 2026-11-21$/, ''],
    [{ suites: [own] }, /^trixie 2026-11-21, without security updates$/, 'bad'],
    [{ suites: [security], ...fresh }, /^trixie-security 2026-11-21\. 1 day old$/, ''],
    [{ suites: [security], ...old }, /50 days old\. An update is due: run make image/, 'fair'],
    [{ suites: [security], ...old, update }, /make bundle/, 'fair'],
  ])) {
    const row = rowOf('Packages', more);
    assert.match(row.text ?? '', text);
    assert.equal(row.level, level);
  }
});

test('a line of Node.js that has ended is bad, unless Debian supports it', () => {
  for (const [hasEnded, isDebians, text, level] of /** @type {any[]} */ ([
    [false, false, /^line 20, supported until 2026-04-30$/, ''],
    [false, true, /^line 20, supported until 2026-04-30$/, ''],
    [true, true, /supported by Debian/, ''],
    [true, false, /no security updates since 2026-04-30/, 'bad'],
  ])) {
    const node = { line: 20, end: '2026-04-30', hasEnded, isDebians };
    const row = rowOf('Node.js', { node });
    assert.match(row.text ?? '', text);
    assert.equal(row.level, level);
  }
});

test('power: current problems come before past ones', () => {
  assert.equal(powerText(undefined)[1], '');
  for (const [sinceStart, level] of /** @type {const} */ ([
    [false, 'good'],
    [null, 'good'],
    [true, 'fair'],
  ])) {
    assert.equal(powerText({ underVoltage: { now: false, sinceStart } })[1], level);
  }
  const [past, current] = [false, true].map((now) => ({ now, sinceStart: true }));
  const now = powerText({ underVoltage: current, throttled: past });
  assert.deepEqual(now, ['The power supply is too weak.', 'bad']);
});

test('unknown facts are a dash or a sentence', () => {
  assert.equal(size(undefined), '–');
  assert.equal(size(0), '0.0 MiB');
  assert.equal(size(3 * 1024 ** 3), '3.0 GiB');
  assert.equal(wifiText({ interface: 'wlan0' }), 'wlan0: not connected');
  assert.equal(wifiText({ interface: 'wlan0', network: 'Home' }), 'Home');
});

test('each process has its memory; the last row is the whole TV', () => {
  /** @param {typeof facts} system */
  const tableOf = (system) => {
    const { columns, items } = processTable(system);
    return [columns.map(([title]) => title), ...rowsOf(columns, items)];
  };
  assert.deepEqual(tableOf(facts), [
    ['Process', 'Unreclaimable', 'PSS', 'Merged', 'pid'],
    ['main', '10.0 MiB', '39.1 MiB', '–', '5'],
    ['worker bumper', '1.0 MiB', '2.0 MiB', '1.0 MiB', '6'],
    ['ffmpeg', '–', '–', '–', '7'],
    ['whole TV', '11.0 MiB', '41.0 MiB', '', ''],
  ]);
  const processes = facts.processes.map((process) => ({ ...process, ksmPages: null }));
  assert.deepEqual(tableOf({ ...facts, processes }).slice(0, 2), [
    ['Process', 'Unreclaimable', 'PSS', 'pid'],
    ['main', '10.0 MiB', '39.1 MiB', '5'],
  ]);
});

test('systems and the progress of an update have texts', () => {
  const system = { name: 'B', version: '0.2.0', running: false, good: true };
  const failure = 'it did not start, or was switched off before it was ready';
  for (const [more, text] of /** @type {[object, string][]} */ ([
    [{}, '0.2.0, may be started'],
    [{ version: undefined, running: true }, 'unknown version, running'],
    [{ good: false }, '0.2.0, not usable'],
    [{ good: false, failure }, `0.2.0, did not work: ${failure}`],
  ])) {
    assert.equal(systemText({ ...system, ...more }), `System B: ${text}`);
  }
  assert.match(problemText(failure, 'ko'), /꺼졌어요$/);
  assert.equal(progressText(null), '');
  const installing = progressText({ phase: 'installing', at: 0, percent: 40, version: '0.2.0' });
  assert.equal(installing, 'Installing version 0.2.0: 40 %');
  assert.equal(progressText({ phase: 'failed', at: 0, problem: 'It broke.' }), 'It broke.');
});

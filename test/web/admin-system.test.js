import assert from 'node:assert/strict';
import test from 'node:test';
import {
  factRows,
  powerText,
  processTable,
  size,
  wifiText,
} from '../../app/web/admin/system-view.js';
import { problemText } from '../../app/web/lib/reports.js';
import { progressText, systemText } from '../../app/web/admin/updates.js';

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

test('every fact has a row', () => {
  const rows = Object.fromEntries(factRows(facts).map(({ name, text }) => [name, text]));
  assert.equal(rows.Addresses, 'http://10.0.0.2  http://pitv.local');
  assert.equal(rows['Wi-Fi'], 'Home, -65 dBm (fair)');
  assert.equal(rows.Temperature, '81.3 °C');
  assert.equal(
    rows.Memory,
    '668 MiB of 925 MiB available; the whole TV 11.0 MiB unreclaimable, 41.0 MiB PSS',
  );
  assert.equal(rows.KSM, 'level seeds, scanning, saves 2.9 MiB');
  assert.match(rows.Up, /^1 h 1 min, load 0\.50 on 4 cores$/);
  assert.equal(factRows(facts).find(({ name }) => name === 'Temperature')?.level, 'bad');
});

test("the suites of the card's packages have a row, and a card without security updates is bad", () => {
  const date = '2026-11-21';
  const rowOf = (/** @type {string[]} */ ...suites) =>
    factRows({ ...facts, suites: suites.map((suite) => ({ suite, date })) }).find(
      ({ name }) => name === 'Packages',
    );
  const [own, security] = [`trixie ${date}`, `trixie-security ${date}`];
  const both = rowOf('trixie', 'trixie-security');
  assert.deepEqual([both?.text, both?.level], [`${own} · ${security}`, '']);
  const { text, level } = rowOf('trixie') ?? {};
  assert.deepEqual([text, level], [`${own}, without security updates`, 'bad']);
});

test('a card with old packages says how to get newer ones', () => {
  const suites = [{ suite: 'trixie-security', date: '2026-10-01' }];
  const rowOf = (/** @type {Partial<typeof facts>} */ more) =>
    factRows({ ...facts, suites, ...more }).find(({ name }) => name === 'Packages');
  const fresh = { text: 'trixie-security 2026-10-01. 1 day old', level: '' };
  assert.deepEqual(rowOf({ packages: { days: 1, isDue: false } }), { name: 'Packages', ...fresh });
  const old = { packages: { days: 50, isDue: true } };
  assert.match(rowOf(old)?.text ?? '', /50 days old\. An update is due: run make image/);
  const update = /** @type {any} */ ({});
  const { text, level } = rowOf({ ...old, update }) ?? {};
  assert.match(text ?? '', /make bundle/);
  assert.equal(level, 'fair');
});

test('a line of Node.js that has ended is bad, unless Debian supports it', () => {
  const rowOf = (/** @type {boolean} */ hasEnded, /** @type {boolean} */ isDebians) =>
    factRows({ ...facts, node: { line: 20, end: '2026-04-30', hasEnded, isDebians } }).find(
      ({ name }) => name === 'Node.js',
    );
  const texts = [
    [false, false, /^line 20, supported until 2026-04-30$/, ''],
    [false, true, /^line 20, supported until 2026-04-30$/, ''],
    [true, true, /supported by Debian/, ''],
    [true, false, /no security updates since 2026-04-30/, 'bad'],
  ];
  for (const [hasEnded, isDebians, text, level] of /** @type {any[]} */ (texts)) {
    const found = rowOf(hasEnded, isDebians);
    assert.match(found?.text ?? '', text);
    assert.equal(found?.level, level);
  }
  assert.equal(
    factRows(facts).some(({ name }) => name === 'Node.js'),
    false,
  );
});

test('power: current problems come before past ones', () => {
  const flag = (/** @type {boolean} */ now, /** @type {boolean | null} */ sinceStart) => ({
    now,
    sinceStart,
  });
  assert.equal(powerText(undefined).level, '');
  assert.equal(powerText({ underVoltage: flag(false, false) }).level, 'good');
  assert.equal(powerText({ underVoltage: flag(false, null) }).level, 'good');
  assert.equal(powerText({ underVoltage: flag(false, true) }).level, 'fair');
  const now = powerText({ underVoltage: flag(true, true), throttled: flag(false, true) });
  assert.deepEqual(now, { text: 'The power supply is too weak.', level: 'bad' });
});

test('unknown facts are a dash or a sentence', () => {
  assert.equal(size(undefined), '–');
  assert.equal(size(0), '0.0 MiB');
  assert.equal(size(3 * 1024 ** 3), '3.0 GiB');
  assert.equal(wifiText({ interface: 'wlan0' }), 'wlan0: not connected');
  assert.equal(wifiText({ interface: 'wlan0', network: 'Home' }), 'Home');
});

test('each process has its memory; the last row is the whole TV', () => {
  const { columns, rows } = processTable(facts);
  assert.deepEqual(columns, ['Process', 'Unreclaimable', 'PSS', 'Merged', 'pid']);
  assert.deepEqual(rows, [
    ['main', '10.0 MiB', '39.1 MiB', '–', '5'],
    ['worker bumper', '1.0 MiB', '2.0 MiB', '1.0 MiB', '6'],
    ['ffmpeg', '–', '–', '–', '7'],
    ['whole TV', '11.0 MiB', '41.0 MiB', '', ''],
  ]);
  const processes = facts.processes.map((process) => ({ ...process, ksmPages: null }));
  const without = processTable({ ...facts, processes });
  assert.deepEqual(without.columns, ['Process', 'Unreclaimable', 'PSS', 'pid']);
  assert.deepEqual(without.rows[0], ['main', '10.0 MiB', '39.1 MiB', '5']);
});

test('systems and the progress of an update have texts', () => {
  const system = { name: 'B', version: '0.2.0', running: false, good: true };
  assert.equal(systemText(system), 'System B: 0.2.0, may be started');
  assert.equal(
    systemText({ name: 'A', running: true, good: true }),
    'System A: unknown version, running',
  );
  assert.equal(systemText({ ...system, good: false }), 'System B: 0.2.0, not usable');
  const failure = 'it did not start, or was switched off before it was ready';
  assert.equal(
    systemText({ ...system, good: false, failure }),
    `System B: 0.2.0, did not work: ${failure}`,
  );
  assert.match(problemText(failure, 'ko'), /꺼졌어요$/);
  assert.equal(progressText(null), '');
  assert.equal(
    progressText({ phase: 'installing', at: 0, percent: 40, version: '0.2.0' }),
    'Installing version 0.2.0: 40 %',
  );
  assert.equal(progressText({ phase: 'failed', at: 0, problem: 'It broke.' }), 'It broke.');
});

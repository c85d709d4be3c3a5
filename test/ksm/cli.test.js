import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { main } from '../../ksm/cli.js';
import { formatEntry } from '../../ksm/status.js';
import { readSettings } from '../../ksm/sysfs.js';
import { asNobody, nobodyMissing } from '../support/ordinary-user.js';
import { temporaryFolder } from '../support/folders.js';
import { fakeSysfs } from './fake.js';

/** Runs a command in this process. @param {string[]} argv @param {Partial<import('../../ksm/cli.js').Io>} [io] */
async function pitvKsm(argv, io = {}) {
  const output = { out: '', err: '' };
  const status = await main(argv, {
    out: (text) => (output.out += text),
    err: (text) => (output.err += text),
    ...io,
  });
  return { status, ...output };
}

test('--help lists the commands and options', async () => {
  const { status, out } = await pitvKsm(['--help']);
  assert.equal(status, 0);
  for (const word of ['status', 'on ', 'off ', 'auto', '--json']) assert.ok(out.includes(word));
  assert.equal((await pitvKsm(['status', '-h'])).out, out);
});

test('invalid usage is an error, and the exit status is 2', async () => {
  for (const [argv, said] of /** @type {[string[], RegExp][]} */ ([
    [[], /command is missing/],
    [['nonsense'], /no command nonsense/],
    [['status', 'extra'], /takes no extra/],
    [['status', '--pages', '5'], /status takes no --pages/],
    [['status', '--bogus'], /--bogus/],
    [['on', '--pages', '0'], /--pages must be .* 1 to 1000000, not 0/],
    [['on', '--sleep', '1.5'], /--sleep/],
    [['on', '--sleep', '-1'], /--sleep/],
    [['on', '--sleep', '1e2'], /--sleep/],
  ])) {
    const { status, out, err } = await pitvKsm(argv);
    assert.equal(status, 2, argv.join(' '));
    assert.match(err, said);
    assert.equal(out, '');
  }
});

test('status: text for people, JSON for programs', async () => {
  const sysfs = fakeSysfs({ pages_sharing: '512\n', pages_shared: '128\n', full_scans: '7\n' });
  const text = await pitvKsm(['status'], { sysfs });
  assert.equal(text.status, 0);
  assert.match(text.out, /ksmd is not scanning/);
  assert.match(text.out, /saved 2\.0 MiB/);
  assert.match(text.out, /7 whole passes/);
  const status = JSON.parse((await pitvKsm(['status', '--json'], { sysfs })).out);
  assert.equal(status.balance.savedBytes, 512 * 4096);
  assert.ok(Array.isArray(status.processes) && Array.isArray(status.features.missing));
});

test('without KSM, and without a folder for the state, the exit status is 1', async () => {
  const on = ['on', '--state-dir', '/proc/pitv/ksm'];
  for (const [argv, sysfs, said] of /** @type {const} */ ([
    [['status'], fakeSysfs({ run: undefined }), /has no KSM/],
    [on, fakeSysfs(), /\/proc\/pitv\/ksm can't be written \(ENOENT\)/],
  ])) {
    const { status, err } = await pitvKsm([...argv], { sysfs });
    assert.equal(status, 1);
    assert.match(err, said);
  }
});

test('on starts ksmd, off restores the original settings', async () => {
  const sysfs = fakeSysfs({ pages_to_scan: '321\n' });
  const found = readSettings(sysfs);
  const options = ['--state-dir', temporaryFolder()];
  const on = await pitvKsm(['on', '--pages', '2000', ...options], { sysfs });
  assert.match(on.out, /pages_to_scan = 2000/);
  assert.equal(readSettings(sysfs).run, '1');
  await pitvKsm(['on', '--pages', '4000', ...options], { sysfs });
  assert.equal(readSettings(sysfs).pages_to_scan, '4000');
  const off = await pitvKsm(['off', '--json', ...options], { sysfs });
  assert.deepEqual(JSON.parse(off.out), { written: { pages_to_scan: '321', run: '0' } });
  assert.deepEqual(readSettings(sysfs), found);
  assert.match((await pitvKsm(['off', ...options], { sysfs })).out, /Nothing to change/);
});

test('off --unmerge splits the merged pages', async () => {
  const sysfs = fakeSysfs();
  await pitvKsm(['off', '--unmerge', '--state-dir', temporaryFolder()], { sysfs });
  assert.equal(readSettings(sysfs).run, '2');
});

test('auto takes control and restores the settings', async () => {
  const sysfs = fakeSysfs();
  const found = readSettings(sysfs);
  const abort = new AbortController();
  const lines = /** @type {any[]} */ ([]);
  const status = await main(['auto', '--json', '--state-dir', temporaryFolder()], {
    sysfs,
    signal: abort.signal,
    out: (text) => {
      lines.push(JSON.parse(text));
      abort.abort();
    },
  });
  assert.equal(status, 0);
  assert.equal(lines[0].event, 'start');
  assert.deepEqual(lines[0].figures.found, found);
  assert.equal(lines.at(-1).event, 'stop');
  assert.deepEqual(readSettings(sysfs), found);
});

test('an ordinary user may read the status, and no more', { skip: nobodyMissing }, () => {
  const run = readFileSync('/sys/kernel/mm/ksm/run', 'utf8');
  const program = `
    import { main } from '${new URL('../../ksm/cli.js', import.meta.url)}';
    const results = {};
    for (const command of ['on', 'off', 'auto', 'status']) {
      const result = (results[command] = { out: '', err: '' });
      const io = { out: (text) => (result.out += text), err: (text) => (result.err += text) };
      result.status = await main([command], io);
    }
    console.log(JSON.stringify(results));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    ...asNobody,
    encoding: 'utf8',
  });
  assert.match(stdout, /^\{/, stderr);
  const results = JSON.parse(stdout);
  for (const command of ['on', 'off', 'auto']) {
    assert.equal(results[command].status, 1, command);
    assert.match(results[command].err, /needs root/);
  }
  assert.equal(readFileSync('/sys/kernel/mm/ksm/run', 'utf8'), run);
  assert.equal(results.status.status, 0);
  assert.match(results.status.out, /not available: permission/);
});

const at = new Date('2026-01-02T03:04:05.678Z');
const figures = {
  savedBytes: 26 * 2 ** 20,
  metadataBytes: 2 ** 20 / 2,
  profitBytes: -(2 ** 20),
  ratio: 5.27,
  ratioBound: 64,
  mergeable: 3,
  ksmdCpuMs: 48_123,
  pressed: true,
  written: { run: '1', pages_to_scan: '721' },
};

test('an entry is formatted with its figures; missing and empty ones are left out', () => {
  const changes = [{ name: 'run', expected: '1', present: '0' }];
  const empty = { ratio: Infinity, ratioBound: 64, ksmdCpuMs: undefined, written: {}, left: [] };
  for (const [given, expected] of /** @type {[Record<string, unknown>, string][]} */ ([
    [
      figures,
      ' (saved 26.0 MiB, metadata 0.5 MiB, profit -1.0 MiB, 3 marked, 5.3 of at most 64 pages tracked for one merged, ' +
        'ksmd 48.1 s, memory is short, written run=1 pages_to_scan=721)',
    ],
    [
      { changes, restored: { pages_to_scan: '100' }, left: ['run'] },
      ' (restored pages_to_scan=100, left run, changes run=0 instead of 1)',
    ],
    [{}, ''],
    [empty, ''],
  ])) {
    const entry = { event: /** @type {const} */ ('mode'), message: 'message', figures: given };
    assert.equal(formatEntry(entry, at), `2026-01-02T03:04:05.678Z message${expected}`);
  }
});

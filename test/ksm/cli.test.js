import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { main } from '../../ksm/cli.js';
import { readSettings } from '../../ksm/sysfs.js';
import { fakeSysfs, stateFolder } from './fake.js';

/** @param {string[]} argv @param {Partial<import('../../ksm/cli.js').Io>} [io] */
async function pitvKsm(argv, io = {}) {
  const said = { out: '', err: '' };
  const status = await main(argv, {
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
    ...io,
  });
  return { status, ...said };
}

test('help', async () => {
  const { status, out } = await pitvKsm(['--help']);
  assert.equal(status, 0);
  for (const word of ['status', 'watch', 'on ', 'off ', 'auto', '--json'])
    assert.ok(out.includes(word));
  assert.equal((await pitvKsm(['status', '-h'])).out, out);
});

test('wrong usage says what was wrong and ends with 2', async () => {
  for (const [argv, said] of /** @type {[string[], RegExp][]} */ ([
    [[], /command is missing/],
    [['nonsense'], /no command nonsense/],
    [['status', 'extra'], /takes no extra/],
    [['status', '--pages', '5'], /status takes no --pages/],
    [['status', '--bogus'], /--bogus/],
    [['on', '--pages', '0'], /--pages must be .* 1 to 1000000, not 0/],
    [['on', '--sleep', '1.5'], /--sleep/],
    [['watch', '--interval', '-1'], /interval/],
    [['watch', '--interval', '1e2'], /interval/],
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

test('a machine without KSM: status says so and ends with 1', async () => {
  const { status, err } = await pitvKsm(['status'], { sysfs: fakeSysfs({ run: undefined }) });
  assert.equal(status, 1);
  assert.match(err, /has no KSM/);
});

test('on sets ksmd going, off brings back what was there', async () => {
  const sysfs = fakeSysfs({ pages_to_scan: '321\n' });
  const found = readSettings(sysfs);
  const options = ['--state-dir', stateFolder()];
  const on = await pitvKsm(['on', '--pages', '2000', ...options], { sysfs });
  assert.match(on.out, /pages_to_scan = 2000/);
  assert.equal(readSettings(sysfs).run, '1');
  await pitvKsm(['on', '--pages', '4000', ...options], { sysfs });
  assert.equal(readSettings(sysfs).pages_to_scan, '4000');
  const off = await pitvKsm(['off', '--json', ...options], { sysfs });
  assert.deepEqual(JSON.parse(off.out), { written: { pages_to_scan: '321', run: '0' } });
  assert.deepEqual(readSettings(sysfs), found);
  assert.match((await pitvKsm(['off', ...options], { sysfs })).out, /so already/);
});

test('off --unmerge gives the merged pages back', async () => {
  const sysfs = fakeSysfs();
  await pitvKsm(['off', '--unmerge', '--state-dir', stateFolder()], { sysfs });
  assert.equal(readSettings(sysfs).run, '2');
});

test('watch shows again and again until it is ended', async () => {
  const abort = new AbortController();
  const shown = [];
  const status = await main(['watch', '--interval', '1', '--json'], {
    sysfs: fakeSysfs(),
    signal: abort.signal,
    out: (text) => {
      shown.push(JSON.parse(text));
      if (shown.length === 2) abort.abort();
    },
  });
  assert.deepEqual([status, shown.length], [0, 2]);
});

test('auto takes control and leaves everything as it was', async () => {
  const sysfs = fakeSysfs();
  const found = readSettings(sysfs);
  const abort = new AbortController();
  const lines = /** @type {any[]} */ ([]);
  const status = await main(['auto', '--json', '--state-dir', stateFolder()], {
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

test(
  'an ordinary user may look, and is told that the rest needs root',
  { skip: process.getuid?.() !== 0 && 'needs root, to become somebody else' },
  () => {
    const cli = fileURLToPath(new URL('../../ksm/cli.js', import.meta.url));
    /** @param {string} command */
    const asNobody = (command) =>
      spawnSync(process.execPath, [cli, command], {
        uid: 65534,
        gid: 65534,
        encoding: 'utf8',
        cwd: '/',
      });
    const run = readFileSync('/sys/kernel/mm/ksm/run', 'utf8');
    for (const command of ['on', 'off', 'auto']) {
      const { status, stderr } = asNobody(command);
      assert.equal(status, 1, command);
      assert.match(stderr, /needs root/);
    }
    assert.equal(readFileSync('/sys/kernel/mm/ksm/run', 'utf8'), run);
    const { status, stdout } = asNobody('status');
    assert.equal(status, 0);
    assert.match(stdout, /not available: permission/);
  },
);

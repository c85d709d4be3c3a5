/** The command `pitv pad`. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, runCommands } from '../support/cli.js';
import { decodeFrame } from '../support/decode-frame.js';
import { Client, faultyGame, metricsOf, startTv, temporaryFolder } from '../support/tv.js';

const games = [faultyGame];

/** @param {string[]} args @param {string} [input] on stdin */
const pitv = (args, input) => runCommand(args, { input });

/** @param {import('../../app/tv.js').Tv} tv */
const at = (tv) => ['pad', '--udp', `127.0.0.1:${tv.port}`, '--code', tv.code];

test('pitv pad runs a script: a screen shows the stick and the buttons', async (t) => {
  const tv = await startTv(t, { games, args: ['--udp', '0'] });
  const screen = await Client.screen(tv);
  const script =
    '# a comment\n\nstart faulty\nstick 100 -50\nwait 400\nhold b\nwait 400\nend\nwait 99999\n';
  const seen = screen.until(
    () => screen.frame && decodeFrame(screen.frame).bodies.x[0] === 100,
    'the stick of the script',
  );
  const [{ status, stdout, stderr }] = await Promise.all([
    pitv([...at(tv), '--name', 'Udo', '--script', '-'], script),
    seen,
  ]);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.match(stdout, /joined as Udo\n.*match \d+, slot 0\n\d+ datagrams sent\n/);
  const metrics = await metricsOf(tv);
  const sent = Number(/(\d+) datagrams/.exec(stdout)?.[1]);
  const accepted = Number(metrics.get('pitv_udp_datagrams_total{outcome="accepted"}'));
  assert.ok(accepted >= 3 && accepted <= sent, `${accepted} of ${sent}`);
  assert.equal(metrics.get('pitv_udp_pads'), 0, 'the pad has left');
});

test('pitv pad reports a failure in one line', async (t) => {
  const off = await startTv(t, { games });
  const refused = await pitv([...at(off), '--script', '-'], 'end');
  assert.deepEqual([refused.status, refused.stdout], [1, '']);
  assert.match(refused.stderr, /^pitv: This TV does not accept datagrams\. Start it with --udp/);

  const code = off.code === 'AAAAA' ? 'BBBBB' : 'AAAAA';
  const wrong = await pitv(
    ['pad', '--udp', `127.0.0.1:${off.port}`, '--code', code, '--script', '-'],
    'end',
  );
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /^pitv: .*code.*\n$/i);

  const none = await pitv(['pad', '--udp', '127.0.0.1:1', '--code', 'X', '--script', '-'], 'end');
  assert.equal(none.status, 1);
  assert.match(none.stderr, /^pitv: No TV answers at 127\.0\.0\.1:\d+: .*\n$/);
});

test('invalid options and scripts of pitv pad are bad usage', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'script');
  writeFileSync(file, 'wait 5\nstick 1 200\n');
  const wrong = /** @type {[string[], RegExp][]} */ ([
    [['pad'], /needs --udp HOST:PORT, --code and --script/],
    [['pad', '--udp', 'http://tv', '--code', 'X', '--script', '-'], /HOST or HOST:PORT/],
    [['pad', '--udp', 'tv', '--code', 'X', '--script', file], /Line 2 of the script.*stick 1 200/],
    [['pad', '--udp', 'tv', '--code', 'X', '--script', join(folder, 'none')], /cannot be read/],
  ]);
  const results = await runCommands(wrong.map(([args]) => args));
  for (const [i, { status, stderr }] of results.entries()) {
    assert.equal(status, 2, stderr);
    assert.match(stderr, wrong[i][1]);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  }
});

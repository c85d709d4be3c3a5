/** The setting `fleet` of a card: what the TV and its nats-server get. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { missingForFleet } from '../../../bench/harness/local-fleet.js';
import { parseSettings } from '../../../app/config/parse.js';
import { COMMON, setUp } from '../../support/setup.js';
import { root as project } from '../../support/test-files.js';
import { temporaryFolder, writeTree } from '../../support/folders.js';
import { FLEET_KEY } from './pitv-txt.js';

const SERVER = join(COMMON, 'root/usr/libexec/pitv/fleet-server');
const THREE = '10.0.0.1 10.0.0.2 10.0.0.3';
const SERIAL = { 'proc/device-tree/serial-number': '10000000a1b2c3d4\0' };
const skip = missingForFleet ?? false;

/** @param {string} hosts @param {NodeJS.ProcessEnv} [env] of a card that has the server, by default */
const setUpFleet = (hosts, env = { PITV_NATS: '/bin/true' }) => {
  const text = `hostname = Attic\nfleet = ${hosts}\nfleet-key = ${FLEET_KEY}\n`;
  return setUp({ 'pitv.txt': text }, env, async (root) => writeTree(root, SERIAL));
};

test('the TV uses its own server first, and boards with one host name have different names', async () => {
  const { problems, tv, files, output } = await setUpFleet(THREE.replace(' ', ', '));
  assert.deepEqual(problems, []);
  const { fleet, fleetCredentials, fleetNode } = parseSettings([], tv);
  const hosts = ['127.0.0.1', ...THREE.split(' ')];
  const urls = hosts.map((host) => `nats://${host}:4222`);
  assert.deepEqual(fleet, urls);
  assert.equal(fleetCredentials, '/run/pitv/fleet/key');
  assert.equal(fleetNode, 'attic-b2c3d4');
  for (const name of ['hosts', 'key', 'node']) assert.ok(files.includes(`run/pitv/fleet/${name}`));
  assert.ok(!output.includes(FLEET_KEY), 'the key is not in the journal');
});

test('two TVs are a fleet, and the television says what that means', async () => {
  const { problems, tv } = await setUpFleet('10.0.0.1 10.0.0.2');
  assert.equal(problems.length, 1);
  const means = /line 2: fleet names two TVs\. While one of them is off, the other has no majority/;
  assert.match(problems[0], means);
  assert.ok(tv.PITV_FLEET);
});

test('a card without a nats-server says so, and its TV is alone', async () => {
  const { problems, tv, files } = await setUpFleet(THREE, {});
  assert.equal(problems.length, 1);
  assert.match(problems[0], /this card has no nats-server.*FLEET=yes/);
  assert.equal(tv.PITV_FLEET, undefined);
  assert.ok(!files.includes('run/pitv/fleet'), 'the unit does not start');
});

test('nats-server accepts the configuration; cards differ in the name only', { skip }, () => {
  const configs = ['attic-1', 'attic-2'].map((node) => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'data/pitv'), { recursive: true });
    writeTree(root, {
      'run/pitv/fleet/hosts': `${THREE}\n`,
      'run/pitv/fleet/key': `${FLEET_KEY}\n`,
      'run/pitv/fleet/node': `${node}\n`,
      // The server's ports may be in use here: it only checks the file.
      'bin/nats-server': '#!/bin/sh\nPATH=${PATH#*:} exec nats-server -t "$@"\n',
    });
    chmodSync(join(root, 'bin/nats-server'), 0o755);
    const PATH = `${join(root, 'bin')}:${process.env.PATH}`;
    const env = { ...process.env, PATH, PITV_ROOT: root, PITV_APP: join(project, 'app') };
    for (let starts = 0; starts < 2; starts++) {
      const { status, stderr } = spawnSync('sh', [SERVER], { env, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.match(stderr, /configuration file .* is valid/);
    }
    const file = join(root, 'run/pitv-fleet/nats.conf');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    return readFileSync(file, 'utf8').replaceAll(root, '').replace(node, 'NAME');
  });
  assert.equal(configs[0], configs[1]);
  assert.match(configs[0], /server_name: "NAME"/);
  for (const host of THREE.split(' ')) assert.ok(configs[0].includes(`@${host}:6222`));
  assert.match(configs[0], /store_dir: "\/data\/pitv\/fleet"/);
});

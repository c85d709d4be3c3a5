/**
 * Builds and runs the armhf container: `make test-container`. Needs buildah, podman, runc, mmdebstrap (without a
 * registry) and an emulator for 32-bit ARM. The first run takes minutes, later ones take seconds.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../bench/harness/free-ports.js';
import { run, words } from '../../image/sd/shell.js';
import { showsInput } from '../support/decode-frame.js';
import { Client } from '../support/tv.js';
import { buildUnlessOffline, missingForArm, waitForHealth } from './needs.js';

const BUILD = fileURLToPath(new URL('../../image/container/build.js', import.meta.url));
const IMAGE = 'localhost/pitv-test:armhf';
/** @param {string[]} args */
const podman = async (...args) => (await run('podman', args)).trim();
/** Its limits and networks need root. */
const skip =
  process.getuid?.() === 0
    ? missingForArm('buildah podman runc mmdebstrap', 'container')
    : 'not root';

test('the armhf container plays a match, is healthy, and stops at once', { skip }, async (t) => {
  const { why } = await buildUnlessOffline(() => run(process.execPath, [BUILD, IMAGE]));
  if (why) return t.skip(why);
  const [about] = JSON.parse(await podman('image', 'inspect', IMAGE));
  assert.deepEqual([about.Architecture, about.Config.User], ['arm', '970:970']);
  assert.ok(about.HealthCheck ?? about.Healthcheck, 'it has a health check');

  const port = await freePort();
  // runc with explicit limits, because crun needs permissions that a CI machine may lack. The health check is
  // run below, because podman needs systemd to run it.
  const options = words`--runtime runc --no-healthcheck --network host --read-only --tmpfs /tmp
    --cap-drop all --ulimit nofile=20000:20000 --ulimit nproc=10000:10000
    --env PITV_PORT=${port} --env PITV_HOST=127.0.0.1`;
  const id = `pitv-test-${port}`;
  t.after(() => podman('rm', '--force', '--volumes', id).catch(() => {}));
  await podman('run', '--detach', '--name', id, ...options, IMAGE);
  assert.equal((await waitForHealth(`http://127.0.0.1:${port}`, 120_000)).ok, true);
  assert.equal(await podman('exec', id, '/bin/sh', '-c', 'id -u'), '970', 'not root');
  await podman('exec', id, '/usr/libexec/pitv/health');

  const screen = await Client.screen({ port });
  const { code } = await screen.next('lobby');
  const pad = await Client.pad({ port, code }, { name: 'Ann' });
  screen.send({ t: 'start', game: 'bumper', options: { seed: 5 } });
  const { slot } = await pad.next('match');
  await showsInput(screen, pad, slot);

  // The TV ends by itself within 12 s, with 1 if the emulator was too slow for it (stopMs); podman's kill would be 137.
  await podman('stop', '--time', '15', id);
  assert.match(await podman('inspect', '--format', '{{.State.ExitCode}}', id), /^[01]$/);
});

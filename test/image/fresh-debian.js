/**
 * Tests `make run` and `make test` on new Debian systems, as root and as an ordinary user. Each has a new root file
 * system with git and make in a folder; its commands run in a chroot with new namespaces. Other packages and Node.js
 * dependencies are installed with the commands that a user would run. Needs mmdebstrap, and root or a range in
 * /etc/subuid.
 *
 * PITV_DEBIAN=all (`make test-debian`) runs all tests, otherwise only `make run` as one user of each release runs.
 */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../bench/harness/free-ports.js';
import { makeBase } from '../../image/container/build.js';
import { cacheRoot } from '../../image/sd/layers.js';
import { run, runAsRoot, words } from '../../image/sd/shell.js';
import { root as PROJECT } from '../support/test-files.js';
import { buildUnlessOffline, missingNamespaces, missingTools, waitForHealth } from './needs.js';

const all = process.env.PITV_DEBIAN === 'all';
const skip = missingTools('mmdebstrap git') ?? missingNamespaces();

/** Path of the build host's certificates in the system. */
const CERTIFICATES = '/etc/host-certificates.crt';
/** Variables of the build host that clients of package registries need. */
const VARIABLES = Object.entries(process.env)
  .filter(([name]) => /^(https?_proxy|no_proxy|npm_config_registry)$/i.test(name))
  .map(([name, value]) => `${name}=${value}`);
if (process.env.SSL_CERT_FILE)
  VARIABLES.push(`NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, `PIP_CERT=${CERTIFICATES}`);

/** @typedef {{name: string, uid: number, home: string}} User */
const ROOT = Object.freeze({ name: 'root', uid: 0, home: '/root' });
const PLAYER = Object.freeze({ name: 'player', uid: 1000, home: '/home/player' });

/** Arguments: folder of the system, user id, command, variables. */
const ENTER = `set -e
folder=$1 uid=$2 command=$3
shift 3
mount --rbind /dev "$folder/dev"
mount --rbind /sys "$folder/sys"
mount -t proc proc "$folder/proc"
exec chroot --userspec="$uid:$uid" --groups= "$folder" env -i "$@" sh -c "cd && $command"
`;

/**
 * Makes a system with the user PLAYER and a clone of the project in the owner's home, with the tracked files as they
 * are now.
 * @param {string} suite bookworm or trixie @param {User} owner
 * @returns {Promise<string>} its folder
 */
async function makeSystem(suite, owner) {
  const arch = (await run('dpkg', ['--print-architecture'])).trim();
  const { tar } = await makeBase(arch, suite);
  // The next build deletes a folder of this name if this process ends early.
  const folder = join(cacheRoot(), `.fresh-${suite}-${owner.name}.${process.pid}`);
  await mkdir(folder);
  await runAsRoot('tar', ['-xpf', tar, '--numeric-owner', '--exclude=./dev/*', '-C', folder]);
  await runAsRoot('cp', ['/etc/hosts', '/etc/resolv.conf', join(folder, 'etc')]);
  if (process.env.SSL_CERT_FILE)
    await runAsRoot('cp', [process.env.SSL_CERT_FILE, join(folder, CERTIFICATES)]);
  await runIn(folder, `useradd --create-home --uid ${PLAYER.uid} ${PLAYER.name}`, ROOT);
  const copy = join(folder, owner.home, 'pitv');
  const clone = words`-c safe.directory=* clone --quiet --no-hardlinks ${PROJECT} ${copy}`;
  await runAsRoot('git', clone);
  const update = 'git ls-files -z | tar -c --null -T - | tar -x -C "$1"';
  await runAsRoot('sh', ['-c', update, 'sh', copy], { cwd: PROJECT });
  await runAsRoot('chown', ['-R', `${owner.uid}:${owner.uid}`, copy]);
  return folder;
}

/**
 * Runs a shell command in the user's home.
 * @param {string} folder of the system @param {string} command @param {User} user
 * @returns {Promise<string>} its output
 */
function runIn(folder, command, user) {
  const variables = words`HOME=${user.home} USER=${user.name} LANG=C.UTF-8
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
  // The first process of a namespace ends all others when it ends.
  const enter = words`--mount --pid --fork -- sh -c ${ENTER} sh ${folder} ${user.uid} ${command}`;
  return runAsRoot('unshare', [...enter, ...variables, ...VARIABLES]);
}

/**
 * Runs the command that setup.sh prints for an ordinary user.
 * @param {string} folder of the system @param {string} what argument of setup.sh
 */
async function installAsAsked(folder, what) {
  const output = await runIn(folder, `cd pitv && ! ./setup.sh ${what} 2>&1`, PLAYER);
  const [, command] = /^ {2}(sudo apt-get update && sudo apt-get .*)$/m.exec(output) ?? [];
  assert.ok(command, `setup.sh prints no command:\n${output}`);
  await runIn(folder, command.replaceAll('sudo ', ''), ROOT);
}

/** Runs `make run` until the TV answers. @param {string} folder of the system @param {User} user */
async function makeRun(folder, user) {
  if (user !== ROOT) await installAsAsked(folder, 'run');
  const port = await freePort();
  const untilStop = 'until [ -e /tmp/stop ]; do kill -0 $! && sleep 1 || exit 1; done';
  const command = `cd pitv; make run ARGS="--port ${port}" 2>&1 & ${untilStop}`;
  const tv = runIn(folder, command, user);
  const stop = () => runAsRoot('touch', [join(folder, 'tmp/stop')]);
  await Promise.race([waitForHealth(`http://127.0.0.1:${port}`, 20 * 60_000), tv]).finally(stop);
  await tv;
}

for (const [suite, one] of /** @type {const} */ ([
  ['bookworm', ROOT],
  ['trixie', PLAYER],
])) {
  for (const user of all ? [ROOT, PLAYER] : [one]) {
    test(`Debian ${suite}, as ${user.name}`, { skip }, async (t) => {
      const { made: folder, why } = await buildUnlessOffline(() => makeSystem(suite, user));
      if (!folder) return t.skip(why);
      t.after(() => runAsRoot('rm', ['-rf', folder]));
      await runIn(folder, 'apt-get update && apt-get install -y git make', ROOT);
      await t.test('make run', () => makeRun(folder, user));
      if (!all) return;
      await t.test('make test', async () => {
        if (user !== ROOT) await installAsAsked(folder, 'test');
        const output = await runIn(folder, 'cd pitv && make test', user);
        assert.match(output.slice(-500), /^\d+ passed, 0 failed/m);
      });
    });
  }
}

/** A new Debian system in a folder. Its commands run in a chroot with new namespaces. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeBase } from '../../image/container/build.js';
import { cacheRoot } from '../../image/sd/layers.js';
import { run, runAsRoot, words } from '../../image/sd/shell.js';
import { root as PROJECT } from '../support/test-files.js';

/** Path of the build host's certificates in the system. */
const CERTIFICATES = '/etc/host-certificates.crt';
/** Variables of the build host that clients of package registries need. */
const VARIABLES = Object.entries(process.env)
  .filter(([name]) => /^(https?_proxy|no_proxy|npm_config_registry)$/i.test(name))
  .map(([name, value]) => `${name}=${value}`);
if (process.env.SSL_CERT_FILE)
  VARIABLES.push(`NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, `PIP_CERT=${CERTIFICATES}`);

/** @typedef {{name: string, uid: number, home: string}} User */
export const ROOT = Object.freeze({ name: 'root', uid: 0, home: '/root' });
export const PLAYER = Object.freeze({ name: 'player', uid: 1000, home: '/home/player' });

/** Arguments: folder of the system, user id, command, variables. */
const ENTER = `set -e
folder=$1 uid=$2 command=$3
shift 3
mount --rbind /dev "$folder/dev"
mount --rbind /sys "$folder/sys"
mount -t proc proc "$folder/proc"
exec chroot --userspec="$uid:$uid" --groups= "$folder" env -i "$@" sh -c "cd && $command"
`;

export class FreshSystem {
  #folder;

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder;
  }

  /**
   * Makes a system with the user PLAYER and a clone of the project in the owner's home, with the tracked files as they
   * are now.
   * @param {string} suite bookworm or trixie
   * @param {User} owner
   */
  static async make(suite, owner) {
    const arch = (await run('dpkg', ['--print-architecture'])).trim();
    const { tar } = await makeBase(arch, suite);
    // The next build deletes a folder of this name if this process ends early.
    const folder = join(cacheRoot(), `.fresh-${suite}-${owner.name}.${process.pid}`);
    await mkdir(folder);
    const system = new FreshSystem(folder);
    await runAsRoot('tar', ['-xpf', tar, '--numeric-owner', '--exclude=./dev/*', '-C', folder]);
    await runAsRoot('cp', ['/etc/hosts', '/etc/resolv.conf', join(folder, 'etc')]);
    if (process.env.SSL_CERT_FILE)
      await runAsRoot('cp', [process.env.SSL_CERT_FILE, join(folder, CERTIFICATES)]);
    await system.run(`useradd --create-home --uid ${PLAYER.uid} ${PLAYER.name}`, ROOT);
    const copy = join(folder, owner.home, 'pitv');
    await runAsRoot(
      'git',
      words`-c safe.directory=* clone --quiet --no-hardlinks ${PROJECT} ${copy}`,
    );
    const update = 'git ls-files -z | tar -c --null -T - | tar -x -C "$1"';
    await runAsRoot('sh', ['-c', update, 'sh', copy], { cwd: PROJECT });
    await runAsRoot('chown', ['-R', `${owner.uid}:${owner.uid}`, copy]);
    return system;
  }

  /**
   * Starts a shell command in the user's home.
   * @param {string} command
   * @param {User} user
   * @returns its output so far, its exit code (null after a signal), and what ends it and everything that it started
   */
  start(command, user) {
    const users = process.getuid?.() === 0 ? [] : ['--map-auto', '--map-root-user'];
    const enter = words`${users} --mount --pid --fork --kill-child -- sh -c ${ENTER} sh`;
    const variables = words`HOME=${user.home} USER=${user.name} LANG=C.UTF-8
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
    const args = [this.#folder, String(user.uid), command];
    const child = spawn('unshare', [...enter, ...args, ...variables, ...VARIABLES], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    /** @type {Promise<number | null>} */
    const ended = once(child, 'close').then(([code]) => code);
    const running = {
      output: '',
      ended,
      async end() {
        if (child.exitCode !== null || child.signalCode !== null) return;
        // Kill the first process of the namespace, which ends all others. unshare's --kill-child does not work, because
        // a change of user clears that signal (prctl(2), PR_SET_PDEATHSIG).
        const { pid } = child;
        const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ');
        for (const each of children.filter(Boolean)) process.kill(Number(each), 'SIGKILL');
        child.kill('SIGKILL');
        await ended;
      },
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (running.output += text));
    return running;
  }

  /**
   * Runs a command to its end.
   * @param {string} command
   * @param {User} user
   * @returns {Promise<string>} its output
   * @throws {Error} if it fails, with the end of its output
   */
  async run(command, user) {
    const running = this.start(command, user);
    const code = await running.ended;
    if (code === 0) return running.output;
    throw new Error(`"${command}" failed (${code}):\n${running.output.slice(-8000)}`);
  }

  async remove() {
    await runAsRoot('rm', ['-rf', this.#folder]);
  }
}

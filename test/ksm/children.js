import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../ksm/cli.js', import.meta.url));
const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));

/**
 * @typedef {object} Child
 * @property {number} pid
 * @property {(action: string, details?: object) => Promise<any>} ask
 * @property {() => Promise<void>} end
 */

/**
 * @param {import('../../ksm/layout.js').MergeableSpawn} [layout]
 * @param {number} [user] as whom; only root can choose
 * @returns {Promise<Child>}
 */
export async function startChild(layout, user) {
  const start = () =>
    fork(CHILD, [], {
      execArgv: layout?.execArgv ?? [],
      env: { ...process.env, ...layout?.env },
      uid: user,
      gid: user,
    });
  const child = layout ? layout.around(start) : start();
  const answer = async () => (await once(child, 'message'))[0].done;
  await answer();
  return {
    pid: child.pid ?? 0,
    async ask(action, details = {}) {
      child.send({ do: action, ...details });
      return answer();
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/**
 * `pitv ksm auto` as a process of its own.
 * @param {string} stateDir
 */
export function startController(stateDir) {
  const child = spawn(process.execPath, [CLI, 'auto', '--json', '--state-dir', stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  /** @type {any[]} */
  const entries = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => entries.push(JSON.parse(line)));
  /** @param {(entry: any) => boolean} wanted */
  const until = async (wanted) => {
    while (!entries.some(wanted)) await once(lines, 'line');
    return entries.find(wanted);
  };
  return { child, entries, until };
}

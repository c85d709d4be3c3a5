import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

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

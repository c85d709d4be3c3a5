import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CONTROLLER = fileURLToPath(new URL('./controller.js', import.meta.url));
const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));

/**
 * @typedef {object} Child
 * @property {number} pid
 * @property {(action: string, details?: object) => Promise<any>} ask
 * @property {() => Promise<void>} end
 */

/**
 * Starts child.js. It is ended after the test.
 * @param {{after: (action: () => unknown) => void}} t
 * @param {import('../../ksm/layout.js').MergeableSpawn} [layout]
 * @returns {Promise<Child>}
 */
export async function startChild(t, layout) {
  const start = () =>
    fork(CHILD, [], {
      execArgv: layout?.execArgv ?? [],
      env: { ...process.env, ...layout?.env },
    });
  const child = layout ? layout.around(start) : start();
  const exited = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`child.js ended early: ${signal ?? `status ${code}`}`);
  });
  exited.catch(() => {}); // also at the end of a test
  const answer = async () => (await Promise.race([once(child, 'message'), exited]))[0].done;
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  t.after(end);
  await answer();
  return {
    pid: child.pid ?? 0,
    async ask(action, details = {}) {
      child.send({ do: action, ...details });
      return answer();
    },
    end,
  };
}

/** Starts a controller with short passes, and reads its log. @param {string} stateDir */
export function startController(stateDir) {
  const child = spawn(process.execPath, [CONTROLLER, stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  /** @type {any[]} */
  const entries = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => entries.push(JSON.parse(line)));
  /** Waits for an entry. @param {(entry: any) => boolean} wanted */
  const until = async (wanted) => {
    while (!entries.some(wanted)) await once(lines, 'line');
    return entries.find(wanted);
  };
  return { child, entries, until };
}

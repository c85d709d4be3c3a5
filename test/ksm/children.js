import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { mergeableSpawnOptions } from '../../ksm/layout.js';

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));

/**
 * Starts child.js. It is ended after the test.
 * @param {{after: (action: () => unknown) => void}} t
 * @param {import('../../ksm/layout.js').MergeableSpawn} [layout]
 */
export async function startChild(t, layout = mergeableSpawnOptions({ level: 'off' })) {
  const { execArgv, env, around } = layout;
  const child = around(() => fork(CHILD, [], { execArgv, env: { ...process.env, ...env } }));
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
    /** @param {string} action @param {object} [details] @returns {Promise<any>} */
    async ask(action, details = {}) {
      child.send({ do: action, ...details });
      return answer();
    },
    end,
  };
}

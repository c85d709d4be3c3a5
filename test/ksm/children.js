import { fileURLToPath } from 'node:url';
import { Child } from '../../bench/harness/child.js';
import { mergeableSpawnOptions } from '../../ksm/layout.js';

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));

/**
 * Starts child.js. It is ended after the test.
 * @param {{after: (action: () => unknown) => void}} t
 * @param {import('../../ksm/layout.js').MergeableSpawn} [layout]
 */
export async function startChild(t, layout = mergeableSpawnOptions({ level: 'off' })) {
  const { execArgv, env, around } = layout;
  const child = around(() => new Child(CHILD, {}, { execArgv, env: { ...process.env, ...env } }));
  const end = () => {
    child.process.kill('SIGKILL');
    return child.stop();
  };
  t.after(end);
  await child.next();
  return {
    pid: child.process.pid ?? 0,
    /** @param {string} action @param {object} [details] @returns {Promise<any>} */
    ask: async (action, details) => (await child.ask({ do: action, ...details })).done,
    end,
  };
}

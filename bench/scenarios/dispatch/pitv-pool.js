/** Opens pitv's pools for the dispatch scenario. */
import { fileURLToPath } from 'node:url';

const ECHO = fileURLToPath(new URL('echo.js', import.meta.url));
const MOVED = fileURLToPath(new URL('moved-pitv.js', import.meta.url));

/** @param {string} name of the engine @returns {import('./pools.js').OpenPool} */
export const pitvPool =
  (name) =>
  async ({ workers, moves }) => {
    const { Pool } = await import('../../../app/pool/index.js');
    const engine = /** @type {'thread' | 'process' | 'zygote'} */ (name);
    const size = { minThreads: workers, maxThreads: workers };
    const pool = new Pool({ filename: moves ? MOVED : ECHO, engine, ...size });
    return {
      run: (payload) =>
        moves && payload
          ? pool.run(payload, { transferList: [payload.buffer] })
          : pool.run(payload),
      allocate: (bytes) => pool.allocate(bytes),
      kill() {
        const [worker] = pool.threads;
        if ('terminate' in worker) worker.terminate();
        else process.kill(Number(worker.pid), 'SIGKILL');
      },
      close: () => pool.destroy(),
    };
  };

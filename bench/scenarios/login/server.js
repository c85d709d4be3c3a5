/**
 * The server of the guide, in a process of its own: `node server.js '{"variant", ...}'`. Each request checks a
 * password. It sends its port to its parent, measures its event loop between the messages 'begin' and 'end', and ends
 * when the parent does.
 */
import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { Piscina } from 'piscina';
import hashSync, { DIGEST, HASH_BYTES, ROUNDS } from './worker.js';

/** Interval of the monitor's timer, ms. An idle loop shows this delay, so it is subtracted. */
const RESOLUTION = 10;

/** @type {{variant: string, threads: number}} */
const { variant, threads } = JSON.parse(process.argv[2]);

const task = { password: 'correct horse', salt: Buffer.alloc(128, 5) };
const expected = hashSync(task);
const pool =
  variant === 'worker'
    ? new Piscina({
        filename: new URL('./worker.js', import.meta.url).href,
        minThreads: threads,
        maxThreads: threads,
      })
    : undefined;

/** Hashes the password as the variant says. @returns {Promise<Uint8Array>} */
async function hash() {
  if (variant === 'sync') return hashSync(task);
  if (pool) return pool.run(task);
  return promisify(pbkdf2)(task.password, task.salt, ROUNDS, HASH_BYTES, DIGEST);
}

const server = createServer(async (_request, response) => {
  const right = timingSafeEqual(await hash(), expected);
  response.writeHead(right ? 200 : 401).end();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ port });
});

const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
/** @type {ReturnType<typeof performance.eventLoopUtilization>} */
let before;
process.on('message', (message) => {
  if (message === 'begin') {
    delay.enable();
    delay.reset();
    before = performance.eventLoopUtilization();
    process.send?.({ begun: true });
  } else if (message === 'end') {
    const p99 = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION);
    const { utilization } = performance.eventLoopUtilization(before);
    process.send?.({ loopP99: p99, busy: 100 * utilization });
  }
});
process.on('disconnect', () => process.exit(0));

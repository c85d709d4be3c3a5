/**
 * Measures logins whose passwords are hashed on the main thread, in libuv's thread pool, or in a worker. It repeats the
 * experiment of Node's guide to profiling, with 20 connections, 250 requests and the guide's hash: PBKDF2 with 10,000
 * rounds of SHA-512 and 512 bytes. `pitv profile` measures the login of a TV.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Child } from '../../harness/child.js';
import { loadAutocannon } from '../../profile/autocannon.js';

const CONNECTIONS = 20;
const REQUESTS = 250;
const REQUESTS_QUICK = 60;
const SERVER = fileURLToPath(new URL('./server.js', import.meta.url));

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'login',
  title: `Logins hashed on the main thread, in the thread pool, in a worker; n = requests over ${CONNECTIONS} connections`,
  measures: [],
  reference: 'sync',
  timeoutMs: 300_000,
  metrics: [
    { name: 'rate', unit: 'requests/s', better: 'higher' },
    { name: 'latency_p50', unit: 'ms' },
    { name: 'latency_p99', unit: 'ms' },
    { name: 'loop_p99', unit: 'ms' },
    { name: 'loop_busy', unit: '%' },
  ],

  configurations: ({ quick }) =>
    ['sync', 'async', 'worker'].map((variant) => ({
      variant,
      level: 'pbkdf2',
      n: quick ? REQUESTS_QUICK : REQUESTS,
    })),

  async sample({ variant, n }) {
    const autocannon = await loadAutocannon();
    const threads = availableParallelism();
    const server = new Child(SERVER, { variant, threads });
    try {
      const { port } = await server.next();
      const url = `http://127.0.0.1:${port}`;
      await autocannon({ url, connections: threads, amount: 2 * threads }); // compiles the code and starts the threads
      await server.ask('begin');
      const amount = Number(n);
      const began = performance.now();
      const result = await autocannon({ url, connections: CONNECTIONS, amount, timeout: 120 });
      const seconds = (performance.now() - began) / 1000;
      const { loopP99, busy } = await server.ask('end');
      if (result['2xx'] !== amount) {
        throw new Error(`${result['2xx']} of ${amount} requests succeeded`);
      }
      return {
        metrics: {
          rate: amount / seconds,
          latency_p50: result.latency.p50,
          latency_p99: result.latency.p99,
          loop_p99: loopP99,
          loop_busy: busy,
        },
      };
    } finally {
      await server.stop();
    }
  },

  notes: () => [
    `login: server and client share the ${availableParallelism()} cores of this machine. There is one worker thread per core; the pool has 4 threads unless UV_THREADPOOL_SIZE is set (${process.env.UV_THREADPOOL_SIZE ?? 'it is not'}).`,
    'login: loop_p99 of sync has few samples, because the event loop turns once per request.',
  ],
};

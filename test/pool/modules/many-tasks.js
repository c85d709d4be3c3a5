/**
 * Runs tasks with small objects, eight at a time, and prints the memory of this process and of its workers before and
 * after them in KiB: `node many-tasks.js '{"engine": "process"}' 1000000`.
 */
import { readFileSync } from 'node:fs';
import { Pool } from '../../../app/pool/index.js';

const IN_FLIGHT = 8;
const [options, count] = process.argv.slice(2).map((each) => JSON.parse(each));
const filename = new URL('./tasks.js', import.meta.url);
const pool = new Pool({ ...options, filename, minThreads: 1, maxThreads: 1 });

/** @param {number} pid */
const rssOf = (pid) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

function measure() {
  const pids = pool.threads.map((worker) => Reflect.get(worker, 'pid') ?? process.pid);
  return [...new Set([process.pid, ...pids])].map(rssOf);
}

let sent = 0;
async function lane() {
  while (sent < count) await pool.run({ a: sent++ });
}

for (let i = 0; i < IN_FLIGHT; i++) await pool.run({ a: i });
const idle = measure();
await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
console.log(JSON.stringify({ idle, end: measure() }));
await pool.destroy();

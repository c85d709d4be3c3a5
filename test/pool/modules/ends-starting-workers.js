/** A program: ends pools while some of their workers still start. Argument: options of the pools as JSON. */
import { Pool } from '../../../app/pool/index.js';

const POOLS = 16;
const options = JSON.parse(process.argv[2]);
const filename = new URL('about.js', import.meta.url);
for (let i = 0; i < POOLS; i++) {
  const pool = new Pool({ ...options, filename, minThreads: 4, maxThreads: 4 });
  await pool.run(0);
  const end = performance.now() + 3 * i; // other workers become ready meanwhile, unnoticed
  while (performance.now() < end);
  await pool.destroy();
}
console.log('ended');

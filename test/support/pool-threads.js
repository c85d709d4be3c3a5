/** Sizes the pool as `pitv` does, hashes ten times, and prints how many threads there are. */
import { pbkdf2 } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { checkPool, sizePool, wantedSize } from '../../app/process/io-threads.js';

const argv = process.argv.slice(2);
const wanted = wantedSize(argv, process.env);
sizePool(argv);
await checkPool(wanted ?? 'auto');
const hash = () => promisify(pbkdf2)('password', 'salt', 1000, 64, 'sha512');
await Promise.all(Array.from({ length: 10 }, hash));
const threads = readdirSync('/proc/self/task').length;
const variable = process.env.UV_THREADPOOL_SIZE;
process.stdout.write(JSON.stringify({ threads, argv, variable }));

/** Sizes libuv's pool like `pitv`, hashes ten times, and prints the number of threads. */
import { pbkdf2 } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { verifyPoolSize, applyPoolSize, requestedPoolSize } from '../../app/process/io-threads.js';

const argv = process.argv.slice(2);
const wanted = requestedPoolSize(argv, process.env);
applyPoolSize(argv);
await verifyPoolSize(wanted ?? 'auto');
const hash = () => promisify(pbkdf2)('password', 'salt', 1000, 64, 'sha512');
await Promise.all(Array.from({ length: 10 }, hash));
const threads = readdirSync('/proc/self/task').length;
const variable = process.env.UV_THREADPOOL_SIZE;
process.stdout.write(JSON.stringify({ threads, argv, variable }));

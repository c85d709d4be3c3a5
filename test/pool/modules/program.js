/** A program of the tests. Its last two arguments are options of pools as JSON, and the body of an async function. */
import { Pool } from '../../../app/pool/index.js';

const filename = new URL('about.js', import.meta.url);
const [options, code] = process.argv.slice(-2);
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
/** @param {object} more */
const open = (more) =>
  new Pool({ filename, minThreads: 1, maxThreads: 1, ...JSON.parse(options), ...more });
await new AsyncFunction('open', code)(open);

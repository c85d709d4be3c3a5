/** Runs one target in this process: `node child.js FILE OPTIONS`, told over IPC how it went. */
import { pathToFileURL } from 'node:url';
import { runTarget } from './run-target.js';

const [file, options] = process.argv.slice(2);
const { default: target } = await import(pathToFileURL(file).href);
const { seed, runs, seconds, at } = JSON.parse(options);
const report = await runTarget(
  target,
  { seed, runs: runs ?? Infinity, seconds: seconds ?? Infinity, at },
  (roundSeed) => process.send?.({ roundSeed }),
);
process.send?.({ report }, () => process.exit(0));

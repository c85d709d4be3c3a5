/** Runs one target in this process (`node child.js FILE OPTIONS`) and reports over IPC. */
import { pathToFileURL } from 'node:url';
import { runTarget } from './run-target.js';
import { useOwnFolder } from './support/temporary-files.js';

useOwnFolder();
const [file, options] = process.argv.slice(2);
const { default: target } = await import(pathToFileURL(file).href);
const { seed, runs, seconds, at, roundChecks } = JSON.parse(options);
const report = await runTarget(
  target,
  { seed, runs: runs ?? Infinity, seconds: seconds ?? Infinity, at, roundChecks },
  (roundSeed) => process.send?.({ roundSeed }),
);
process.send?.({ report }, () => process.exit(0));

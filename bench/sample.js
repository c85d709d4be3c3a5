/**
 * Takes one sample, in this fresh process: `node sample.js '{"url", "configuration", "context"}'`.
 * The result goes to file descriptor 3 as JSON, so that a scenario may print.
 */
import { writeSync } from 'node:fs';
import { importScenario } from './index.js';

const { url, configuration, context } = JSON.parse(process.argv[2]);
const scenario = await importScenario(url);
const result = await scenario.sample(configuration, context);
writeSync(3, JSON.stringify(result));
// What a library left open must not keep the process.
process.exit(0);

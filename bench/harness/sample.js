/**
 * Takes one sample, in this fresh process: `node sample.js '{"url", "configuration", "context"}'`.
 * The result, or {"error"}, goes to file descriptor 3 as JSON, so that a scenario may print.
 */
import { writeSync } from 'node:fs';
import { PitvError } from '../../app/errors.js';
import { importScenario } from './scenarios.js';

const { url, configuration, context } = JSON.parse(process.argv[2]);
let result;
try {
  const scenario = await importScenario(url);
  result = await scenario.sample(configuration, context);
} catch (thrown) {
  const { code, message } = /** @type {any} */ (thrown ?? {});
  // Of `fetch failed` the cause says why.
  const cause = Reflect.get(Object(thrown), 'cause');
  const because = cause ? `: ${String(cause).split('\n')[0]}` : '';
  const text = thrown instanceof PitvError ? message : String(thrown).split('\n')[0] + because;
  result = { error: { code, message: text } };
}
writeSync(3, JSON.stringify(result));
// What a library left open must not keep the process.
process.exit(0);

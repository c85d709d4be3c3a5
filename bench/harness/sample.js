/**
 * Takes one sample in this process: `node sample.js '{"url", "configuration", "context", "resultFd"}'`. Writes the
 * result, or {"error"}, as JSON to the file descriptor: 3 in Node.js, so that a scenario may print.
 */
import { writeSync } from 'node:fs';
import { PitvError } from '../../app/errors.js';
import { importScenario } from './scenarios.js';

const { url, configuration, context, resultFd } = JSON.parse(process.argv[2]);
/** @type {(() => unknown)[]} */
const ends = [];
const after = (/** @type {() => unknown} */ end) => void ends.unshift(end);
let result;
try {
  const scenario = await importScenario(url);
  const phases = Object.fromEntries(
    Object.entries(scenario.phases ?? {}).map(([name, [usual, quick]]) => [
      name,
      context.quick ? quick : usual,
    ]),
  );
  const sampling = scenario.sample(configuration, { ...context, after, phases });
  const sample = await sampling.finally(async () => {
    for (const end of ends) await end();
  });
  const { bun, deno } = process.versions;
  const node = configuration.node && `Node ${process.version}`;
  const runtime = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : node;
  result = runtime ? { ...sample, facts: { ...sample.facts, runtime } } : sample;
} catch (thrown) {
  const { code, message } = /** @type {any} */ (thrown ?? {});
  // The message of fetch() is only `fetch failed`; its cause has the reason.
  const cause = Reflect.get(Object(thrown), 'cause');
  const because = cause ? `: ${String(cause).split('\n')[0]}` : '';
  const text = thrown instanceof PitvError ? message : String(thrown).split('\n')[0] + because;
  result = { error: { code, message: text } };
}
writeSync(resultFd, JSON.stringify(result));
// Handles that a library left open would keep the process alive.
process.exit(0);

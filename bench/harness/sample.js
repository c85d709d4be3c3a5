/**
 * Takes one sample in this process: `node sample.js '{"url", "configuration", "context"}'`. The last line of its output
 * is the result, or {"error"}, as JSON. When its input ends, the harness has been killed.
 */
import { rmSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PitvError } from '../../app/errors.js';
import { openScope } from './polling.js';
import { importScenario } from './scenarios.js';

/** Less than the time from SIGTERM until SIGKILL in run-sample.js. */
const END_MS = 4000;

const { url, configuration, context } = JSON.parse(process.argv[2]);
const { after, close } = openScope();
process.once('SIGTERM', end);
process.stdin.resume().once('end', () => {
  process.on('exit', endAll);
  void end();
});
let result;
try {
  const scenario = await importScenario(url);
  const phases = Object.fromEntries(
    Object.entries(scenario.phases ?? {}).map(([name, [usual, quick]]) => [
      name,
      context.quick ? quick : usual,
    ]),
  );
  const sample = await scenario.sample(configuration, { ...context, after, phases }).finally(close);
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
writeSync(1, `\n${JSON.stringify(result)}`);
// Handles that a library left open would keep the process alive.
process.exit(0);

/** Ends what the sample has started, such as browsers in groups of their own, and then this process. */
async function end() {
  await Promise.race([close(), sleep(END_MS)]).catch(() => {});
  process.exit(1);
}

/** Removes the folder of the run, and ends all descendants. */
function endAll() {
  rmSync(context.workDir, { recursive: true, force: true });
  process.kill(-process.pid, 'SIGKILL');
}

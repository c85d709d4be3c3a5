/**
 * Takes one sample in this process: `node sample.js '{"url", "configuration", "context"}'`. The last line of its output
 * is the result, or {"error"}, as JSON. When its input ends, the harness has been killed.
 */
import { rmSync, writeSync } from 'node:fs';
import { PitvError } from '../../app/errors.js';
import { openScope } from './polling.js';
import { importScenario } from './scenarios.js';

const { url, configuration, context } = JSON.parse(process.argv[2]);
process.stdin.resume().once('end', endAll);
const { after, close } = openScope();
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

/** Ends this process, which restores settings at its exit, and all descendants; removes the folder of the run. */
function endAll() {
  process.on('exit', () => {
    rmSync(context.workDir, { recursive: true, force: true });
    process.kill(-process.pid, 'SIGKILL');
  });
  process.exit(1);
}

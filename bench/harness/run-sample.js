/** Takes a sample in a fresh process. Afterwards, the process and all of its descendants have ended. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { findRuntime, nodeRuntime } from './runtimes.js';

const TIMEOUT_MS = 120_000;
/** Time from SIGTERM until SIGKILL. */
const STOP_MS = 5000;
const sampleScript = fileURLToPath(new URL('sample.js', import.meta.url));

/**
 * Takes a sample.
 * @param {import('./scenarios.js').LoadedScenario} scenario
 * @param {import('./scenarios.js').Configuration} configuration
 * @param {import('./scenarios.js').Occasion} context
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('./scenarios.js').SampleResult>}
 * @throws {Error} the error of the scenario, with its code; or how the process ended; PITV_BENCH_UNSUPPORTED if the
 *   scenario's runtime is not here
 */
export async function runSample(scenario, configuration, context, signal) {
  const { timeoutMs = TIMEOUT_MS } = scenario;
  signal?.throwIfAborted();
  const { node } = configuration;
  const name = scenario.runtime?.(configuration) ?? (node && nodeRuntime(node));
  const [program, ...args] = name ? findRuntime(name) : [process.execPath];
  const request = JSON.stringify({ url: scenario.url, configuration, context });
  // With a process group of its own, Ctrl-C reaches the harness only, and all descendants can be killed. The sample
  // notices by the end of its input that the harness has been killed.
  const child = spawn(program, [...args, sampleScript, request], {
    stdio: 'pipe',
    detached: true,
    // Its temporary files are removed with the folder.
    env: { ...process.env, TMPDIR: context.workDir || tmpdir(), NO_COLOR: '1' },
  });
  let late = false;
  /** @type {NodeJS.Timeout | undefined} */
  let killTimer;
  const stop = () => {
    child.kill(); // lets it restore settings, and end what has a process group of its own
    killTimer = setTimeout(() => killGroup(child.pid), STOP_MS);
  };
  const timer = setTimeout(() => ((late = true), stop()), timeoutMs);
  signal?.addEventListener('abort', stop);
  let output = '';
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  child.stdout.on('data', (text) => (output += text));
  try {
    const [code, reason] = await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', () => killGroup(child.pid)); // descendants would keep its pipes open
      child.on('close', (...ending) => resolve(ending));
    });
    signal?.throwIfAborted();
    if (late) throw new Error(`killed after the timeout of ${timeoutMs / 1000} s`);
    if (code !== 0)
      throw new Error(errorLine(errors) ?? `ended with ${reason ?? `status ${code}`}`);
  } finally {
    clearTimeout(timer);
    clearTimeout(killTimer);
    signal?.removeEventListener('abort', stop);
  }
  // The scenario may have printed lines before.
  const { error, ...result } = JSON.parse(output.slice(output.lastIndexOf('\n')));
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  return result;
}

/** @param {number | undefined} pid */
function killGroup(pid) {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

/**
 * Returns the line of a stack trace that names the error. Bun and Deno begin it with `error:`.
 * @param {string} text @returns {string | undefined}
 */
function errorLine(text) {
  const lines = text.trim().split('\n');
  return (
    lines.find((line) => /^(\w*Error( \[\w+\])?(:|$)|error: )/.test(line.trim())) ??
    (lines.pop() || undefined)
  );
}

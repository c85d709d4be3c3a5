/** One sample in a fresh process, which nothing outlives: not that process, nor what it started. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const TIMEOUT_MS = 120_000;
/** From the request to end until the end. */
const STOP_MS = 1000;
const sampleScript = fileURLToPath(new URL('sample.js', import.meta.url));

/** Without one that outlives the harness. @type {import('./reaper.js').Reaper} */
const NO_REAPER = { watch() {}, release() {}, end() {} };

/**
 * @param {import('./scenarios.js').LoadedScenario} scenario
 * @param {import('./scenarios.js').Configuration} configuration
 * @param {import('./scenarios.js').SampleContext} context
 * @param {object} [how]
 * @param {AbortSignal} [how.signal]
 * @param {import('./reaper.js').Reaper} [how.reaper] told of the sample's process group
 * @param {number} [how.timeoutMs]
 * @returns {Promise<import('./scenarios.js').SampleResult>}
 * @throws {Error} what the scenario threw, with its code; or how the process ended
 */
export async function runSample(scenario, configuration, context, how = {}) {
  const { signal, reaper = NO_REAPER, timeoutMs = scenario.timeoutMs ?? TIMEOUT_MS } = how;
  signal?.throwIfAborted();
  const request = JSON.stringify({ url: scenario.url, configuration, context });
  // A process group of its own: Ctrl-C reaches the harness alone, and what is left can be ended.
  const child = spawn(process.execPath, [sampleScript, request], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, TMPDIR: context.workDir || tmpdir() }, // what it leaves there goes with it
  });
  reaper.watch(child.pid);
  let late = false;
  const timer = setTimeout(() => ((late = true), killGroup(child.pid)), timeoutMs);
  /** @type {NodeJS.Timeout | undefined} */
  let killTimer;
  const stop = () => {
    child.kill(); // it may have settings to put back
    killTimer = setTimeout(() => killGroup(child.pid), STOP_MS);
  };
  signal?.addEventListener('abort', stop);
  let output = '';
  let errors = '';
  const [, , stderr, results] = child.stdio;
  stderr?.on('data', (text) => (errors += text));
  results?.on('data', (text) => (output += text));
  try {
    const [code, reason] = await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', () => killGroup(child.pid)); // what it left behind holds its pipes
      child.on('close', (...ending) => resolve(ending));
    });
    signal?.throwIfAborted();
    if (late) throw new Error('ended after its time was up');
    if (code !== 0 || output === '')
      throw new Error(lastWords(errors) ?? `ended with ${code ?? reason}`);
  } finally {
    clearTimeout(timer);
    clearTimeout(killTimer);
    signal?.removeEventListener('abort', stop);
    reaper.release();
  }
  const { error, ...result } = JSON.parse(output);
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  return result;
}

/** @param {number | undefined} pid */
function killGroup(pid) {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

/** Of a stack trace, the line that names the error. @param {string} text @returns {string | undefined} */
function lastWords(text) {
  const lines = text.trim().split('\n');
  return lines.find((line) => /^\w*Error\b/.test(line.trim())) ?? (lines.pop() || undefined);
}

/**
 * Takes a sample in a fresh process. Afterwards, the process and all of its descendants have ended. When the harness
 * ends by SIGKILL or by the kernel's out-of-memory killer, a shell that waits for its end ends the running sample and
 * removes the folder that the samples share. It is a shell because that is small, and maps no pages of Node.js.
 */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { findRuntime, nodeRuntime } from './runtimes.js';

const TIMEOUT_MS = 120_000;
/** Time from SIGTERM until SIGKILL. */
const STOP_MS = 1000;
const sampleScript = fileURLToPath(new URL('sample.js', import.meta.url));

/**
 * Takes a sample.
 * @param {import('./scenarios.js').LoadedScenario} scenario
 * @param {import('./scenarios.js').Configuration} configuration
 * @param {import('./scenarios.js').Occasion} context
 * @param {object} [options]
 * @param {AbortSignal} [options.signal]
 * @param {Reaper} [options.reaper] gets the process group of the sample
 * @returns {Promise<import('./scenarios.js').SampleResult>}
 * @throws {Error} the error of the scenario, with its code; or how the process ended; PITV_BENCH_UNSUPPORTED if the
 *   scenario's runtime is not here
 */
export async function runSample(scenario, configuration, context, options = {}) {
  const { signal, reaper } = options;
  const { timeoutMs = TIMEOUT_MS } = scenario;
  signal?.throwIfAborted();
  const runtime = scenario.runtime?.(configuration);
  const { node } = configuration;
  const name = runtime ?? (node && nodeRuntime(node));
  const [program, ...args] = name ? findRuntime(name) : [process.execPath];
  // Deno can write to descriptors that it has opened, and to those of stdout and stderr.
  const resultFd = runtime ? 1 : 3;
  const request = JSON.stringify({ url: scenario.url, configuration, context, resultFd });
  // With a process group of its own, Ctrl-C reaches the harness only, and all descendants can be killed.
  const child = spawn(program, [...args, sampleScript, request], {
    stdio: ['ignore', runtime ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: true,
    // Its temporary files are removed with the folder.
    env: { ...process.env, TMPDIR: context.workDir || tmpdir(), NO_COLOR: '1' },
  });
  reaper?.watch(child.pid);
  let late = false;
  const timer = setTimeout(() => ((late = true), killGroup(child.pid)), timeoutMs);
  /** @type {NodeJS.Timeout | undefined} */
  let killTimer;
  const stop = () => {
    child.kill(); // lets it restore settings
    killTimer = setTimeout(() => killGroup(child.pid), STOP_MS);
  };
  signal?.addEventListener('abort', stop);
  let output = '';
  let errors = '';
  child.stderr?.on('data', (text) => (errors += text));
  child.stdio[resultFd]?.on('data', (text) => (output += text));
  try {
    const [code, reason] = await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', () => killGroup(child.pid)); // descendants would keep its pipes open
      child.on('close', (...ending) => resolve(ending));
    });
    signal?.throwIfAborted();
    if (late) throw new Error(`killed after the timeout of ${timeoutMs / 1000} s`);
    if (code !== 0 || output === '')
      throw new Error(errorLine(errors) ?? `ended with ${reason ?? `status ${code}`}`);
  } finally {
    clearTimeout(timer);
    clearTimeout(killTimer);
    signal?.removeEventListener('abort', stop);
    reaper?.watch();
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

/**
 * Each line of its input is the process group of the running sample, or empty when no sample is running. Its input ends
 * when the harness ends.
 */
const SCRIPT = `
trap '' INT TERM HUP
group=
while read -r line; do group=$line; done
if [ -n "$group" ]; then
  kill -s TERM "$group" && sleep 1
  kill -s KILL -- "-$group"
fi
rm -rf -- "$1"
`;

/**
 * @typedef {object} Reaper
 * @property {(pid?: number) => void} watch sets the running sample, the leader of a process group; undefined: it has
 *   ended
 * @property {() => void} end ends the shell
 */

/** Starts the shell. @param {string} workDir the folder to remove @returns {Reaper} */
export function startReaper(workDir) {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'pitv-bench-reaper', workDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // so that Ctrl-C does not reach it
  });
  const { stdin } = shell;
  shell.on('error', () => {}); // without a shell, only a running harness ends samples
  stdin.on('error', () => {});
  shell.unref();
  return {
    watch: (pid) => stdin.writable && stdin.write(`${pid ?? ''}\n`),
    end: () => stdin.end(),
  };
}

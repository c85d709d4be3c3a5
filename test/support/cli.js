/** Runs commands of `pitv` in processes of their own. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));

/**
 * Starts a command.
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptionsWithoutStdio & {node?: string[], input?: string}} [options]
 *   env: more of the environment; node: options of Node.js; input: on its stdin
 * @returns its process, what it has printed so far, and a promise of its end
 */
export function startCommand(args, { node = [], input = '', env, ...options } = {}) {
  const child = spawn(process.execPath, [...node, CLI, ...args], {
    ...options,
    env: { ...process.env, ...env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  child.stdin.on('error', () => {}).end(input);
  const ended = once(child, 'close').then(([status, signal]) => ({ status, signal, ...output }));
  return { child, output, ended };
}

/** Runs a command until it ends. @param {string[]} args @param {Parameters<typeof startCommand>[1]} [options] */
export const runCommand = (args, options) => startCommand(args, options).ended;

const COMMANDS = new URL('../../app/commands/index.js', import.meta.url).href;
/** Runs the commands of its argument, and prints what they have printed. */
const PROGRAM = `import { main } from '${COMMANDS}';
  const write = process.stdout.write.bind(process.stdout);
  const results = [];
  for (const args of JSON.parse(process.argv[2])) {
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      process[name].setMaxListeners(0);
      process[name].write = (text) => Boolean((output[name] += text));
    }
    process.exitCode = 0;
    await main(args);
    results.push({ status: process.exitCode, ...output });
  }
  process.exitCode = 0;
  write(JSON.stringify(results));`;

/**
 * Runs commands that end at once, such as wrong usage, in one process: each start of Node.js takes a tenth of a second
 * of CPU time.
 * @param {string[][]} list arguments of each command
 * @param {import('node:child_process').ExecFileOptions} [options] env: more of the environment
 * @returns {Promise<{status: number, stdout: string, stderr: string}[]>}
 */
export async function runCommands(list, { env, ...options } = {}) {
  const args = ['--input-type=module', '--eval', PROGRAM, CLI, JSON.stringify(list)];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    ...options,
    env: { ...process.env, ...env },
  });
  return JSON.parse(String(stdout));
}

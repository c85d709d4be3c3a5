/** Runs commands of `pitv` in processes of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

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

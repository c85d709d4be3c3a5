/**
 * Transports that pass the output of one program to the input of another. Each resolves when both have ended with
 * status 0.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectChildren, relay, startChild } from '../../../app/pipe/index.js';

const PYTHON = fileURLToPath(new URL('join.py', import.meta.url));

/**
 * @typedef {string[]} Program a command and its arguments
 * @typedef {(source: Program, target: Program, readBytes: number) => Promise<void>} Transport readBytes: size of a read
 *   between the programs, if the transport can choose it
 */

/** @param {import('node:child_process').ChildProcess} child */
async function ended(child) {
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code ?? signal}`);
}

/** @param {string} word */
const quoted = (word) => `'${word.replaceAll("'", `'\\''`)}'`;

/** @type {Record<string, Transport>} */
export const TRANSPORTS = {
  async shell(source, target) {
    const [left, right] = [source, target].map((program) => program.map(quoted).join(' '));
    await ended(spawn('sh', ['-c', `${left} | ${right}`], { stdio: 'ignore' }));
  },

  async python(source, target, readBytes) {
    const programs = JSON.stringify([source, target]);
    const args = [PYTHON, String(readBytes), programs];
    await ended(spawn('python3', args, { stdio: ['ignore', 'ignore', 'inherit'] }));
  },

  async 'node-default'([source, ...sourceArgs], [target, ...targetArgs]) {
    const from = spawn(source, sourceArgs, { stdio: ['ignore', 'pipe', 'ignore'] });
    const to = spawn(target, targetArgs, { stdio: ['pipe', 'ignore', 'ignore'] });
    from.stdout.pipe(to.stdin);
    await Promise.all([ended(from), ended(to)]);
  },

  async pitv([source, ...sourceArgs], [target, ...targetArgs]) {
    const from = await startChild(source, sourceArgs, { stdout: 'pipe' });
    const to = await startChild(target, targetArgs, { stdin: 'pipe' });
    let last = 0;
    await relay(from.stdout, to.stdin, (bytes) => {
      last = bytes[bytes.length - 1];
    });
    await Promise.all([from.done(), to.done()]);
    if (!Number.isInteger(last)) throw new Error('no bytes were relayed');
  },

  async 'pitv-direct'([source, ...sourceArgs], [target, ...targetArgs]) {
    const children = await connectChildren(
      { command: source, args: sourceArgs },
      { command: target, args: targetArgs },
    );
    await Promise.all(children.map((child) => child.done()));
  },
};

/**
 * Measures transports of zeros from one child process to another, like those of “libuv contributions for Node.js IPC
 * performance” (verycosy, 2025).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectChildren, relay, startChild } from '../../../app/pipe/index.js';
import { cpuMsOfAll } from '../../machine/proc.js';

const MB = 1e6;
/** Size of reads and writes of the programs, and of Python's between them, as in the article. */
const CHUNK_BYTES = 64 * 1024;
const BYTES = 2 ** 30;
const QUICK_BYTES = 2 ** 28;
const PYTHON = fileURLToPath(new URL('join.py', import.meta.url));

/** @typedef {string[]} Program a command and its arguments */

/** @param {import('node:child_process').ChildProcess} child */
async function ended(child) {
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code ?? signal}`);
}

/** @param {string} word */
const quoted = (word) => `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * Transports that pass the output of one program to the input of another. Each resolves when both have ended with
 * status 0.
 * @type {Record<string, (source: Program, target: Program) => Promise<void>>}
 */
const TRANSPORTS = {
  async shell(source, target) {
    const [left, right] = [source, target].map((program) => program.map(quoted).join(' '));
    await ended(spawn('sh', ['-c', `${left} | ${right}`], { stdio: 'ignore' }));
  },

  async python(source, target) {
    const programs = JSON.stringify([source, target]);
    const args = [PYTHON, String(CHUNK_BYTES), programs];
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

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'pipe',
  title: 'Throughput from one child process to another; n = bytes per read and write',
  reference: 'node-default',
  metrics: [
    { name: 'throughput', unit: 'MB/s', better: 'higher' },
    { name: 'cpu', unit: 'ms/GB' },
  ],

  configurations: () =>
    Object.keys(TRANSPORTS).map((variant) => ({ variant, level: 'raw', n: CHUNK_BYTES })),

  async sample({ variant }, { quick }) {
    const bytes = quick ? QUICK_BYTES : BYTES;
    const blocks = [`bs=${CHUNK_BYTES}`, 'status=none'];
    const source = ['dd', 'if=/dev/zero', `count=${bytes / CHUNK_BYTES}`, ...blocks];
    const before = cpuMsOfAll([process.pid]);
    const began = performance.now();
    await TRANSPORTS[variant](source, ['dd', 'of=/dev/null', ...blocks]);
    const seconds = (performance.now() - began) / 1000;
    const cpu = ((cpuMsOfAll([process.pid]) - before) / bytes) * 1e9;
    return { metrics: { throughput: bytes / MB / seconds, cpu } };
  },

  notes: () => [
    'pipe: node-default always reads 64 KiB and has the system’s buffers. pitv reads up to 256 KiB from sockets of 1 MiB.',
  ],
};

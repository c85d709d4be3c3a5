/** Builds udp-sender.c on demand with the machine's C compiler, and runs it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../../app/errors.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const NATIVE = `${root}app/native/udp`;
const SOURCES = [`${root}bench/scenarios/udp/udp-sender.c`, `${NATIVE}/siphash.h`];
const TARGET = `${root}build/bench-udp-sender-${process.arch}`;

/** @param {string} path @returns {number} time of the last change, ms since 1970; 0 if there is no such file */
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Builds the sender unless it is up to date. @throws {PitvError} PITV_BENCH_COMPILER */
export function buildSender() {
  if (SOURCES.every((source) => modified(source) < modified(TARGET))) return;
  mkdirSync(`${root}build`, { recursive: true });
  const output = `${TARGET}.${process.pid}`;
  const args = ['-O2', '-D_GNU_SOURCE', '-I', NATIVE, '-o', output, SOURCES[0]];
  const result = spawnSync(process.env.CC ?? 'cc', args, { encoding: 'utf8' });
  if (result.status !== 0) {
    const problem = result.error?.message ?? result.stderr.trim();
    throw new PitvError('PITV_BENCH_COMPILER', `The sender could not be compiled: ${problem}`);
  }
  renameSync(output, TARGET);
}

/**
 * Sends datagrams as fast as possible.
 * @param {object} options
 * @param {number} options.port @param {number} options.flows
 * @param {number} options.milliseconds @param {number} options.most maximum number of datagrams
 * @param {Buffer} options.key @param {number} options.firstPad
 * @returns {Promise<{sent: number, seconds: number}>}
 */
export async function send({ port, flows, milliseconds, most, key, firstPad }) {
  const args = [port, flows, milliseconds, most, key.toString('hex'), firstPad].map(String);
  const child = spawn(TARGET, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the sender ended with status ${code}`);
  const [sent, micros] = output.split(' ').map(Number);
  return { sent, seconds: micros / 1e6 };
}

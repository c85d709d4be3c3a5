/** Runs udp-sender.c, which is built on demand. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compile } from '../../harness/compile.js';

const SOURCE = fileURLToPath(new URL('udp-sender.c', import.meta.url));
const NATIVE = fileURLToPath(new URL('../../../app/native/udp', import.meta.url));

/**
 * Builds the sender unless it is up to date.
 * @throws {import('../../../app/errors.js').PitvError} PITV_BENCH_COMPILER
 */
export const buildSender = () =>
  compile('udp-sender', SOURCE, { include: NATIVE, headers: [`${NATIVE}/siphash.h`] });

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
  const { stdout } = await promisify(execFile)(buildSender(), args);
  const [sent, micros] = stdout.split(' ').map(Number);
  return { sent, seconds: micros / 1e6 };
}

/** Plays a game with another Node.js, such as a 32-bit one, to compare it with this one. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { PitvError, messageOf } from '../errors.js';

const PROGRAM = fileURLToPath(new URL('./other-node-main.js', import.meta.url));
/** An emulated processor needs minutes. */
const TIMEOUT_MS = 15 * 60_000;
const MAX_ERROR_CHARACTERS = 300;

/** @typedef {{node: string, ticks: number, hashes: Int32Array[]}} Played node: such as "v20.11.0 arm" */

/**
 * Plays runs of a game with another Node.js. The game is not locked there.
 * @param {string[]} command that starts it
 * @param {{path: string, id: string, seeds: number[], ticks: number}} runs path: of the game's module
 * @throws {PitvError} PITV_USAGE if the command does not start, PITV_GAME_INVALID if the game does not run to its end
 */
export async function playWith([program, ...args], runs) {
  try {
    const child = spawn(program, [...args, PROGRAM, JSON.stringify(runs)], {
      // A game may write to standard output, so the result comes over the last pipe.
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      // The option `timeout` has a timer that goes on if the program does not start.
      signal: AbortSignal.timeout(TIMEOUT_MS),
      killSignal: 'SIGKILL',
    });
    const ended = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve(signal ?? code));
    });
    const [, errors, results] = /** @type {import('node:stream').Readable[]} */ (
      /** @type {unknown} */ (child.stdio.slice(1))
    );
    const [status, complaint, result] = await Promise.all([ended, text(errors), text(results)]);
    if (status === 0) return parse(result);
    const why = complaint.trim().slice(-MAX_ERROR_CHARACTERS) || `it ended with ${status}`;
    throw new PitvError('PITV_GAME_INVALID', `With "${program}" it does not run: ${why}`);
  } catch (cause) {
    if (cause instanceof PitvError) throw cause;
    if (Reflect.get(Object(cause), 'name') === 'AbortError') {
      const minutes = TIMEOUT_MS / 60_000;
      const sentence = `With "${program}" it does not end within ${minutes} minutes. Play fewer --ticks.`;
      throw new PitvError('PITV_GAME_INVALID', sentence, { cause });
    }
    const sentence = `"${program}" cannot be started: ${messageOf(cause)}`;
    throw new PitvError('PITV_USAGE', sentence, { cause });
  }
}

/** @param {string} result @returns {Played} */
function parse(result) {
  const { node, ticks, hashes } = JSON.parse(result);
  return {
    node,
    ticks,
    hashes: hashes.map((/** @type {string} */ each) => {
      const bytes = Uint8Array.from(Buffer.from(each, 'base64'));
      return new Int32Array(bytes.buffer);
    }),
  };
}

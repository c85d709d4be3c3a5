/** Reads a password from a terminal without showing it, or from a pipe. */
import { PitvError } from '../errors.js';

const MAX_BYTES = 4096;
const KEY = Object.freeze({ interrupt: '\x03', end: '\x04', erase: '\x7f\b', clear: '\x15' });

/**
 * Prompts for a line without echoing it. Always restores the terminal.
 * @param {string} prompt
 * @param {{input?: import('node:tty').ReadStream, output?: NodeJS.WritableStream}} [terminal]
 * @returns {Promise<string>} the line
 * @throws {PitvError} PITV_CANCELLED: Ctrl-C, Ctrl-D, or the terminal was closed
 */
export async function readSecret(prompt, { input = process.stdin, output = process.stderr } = {}) {
  input.setRawMode?.(true); // before the prompt: a program may type as soon as it sees the prompt
  output.write(prompt);
  if (!input.readableEncoding) input.setEncoding('utf8');
  try {
    return await new Promise((/** @type {(text: string) => void} */ resolve, reject) => {
      /** @type {string[]} */
      let typed = [];
      const cancel = () => {
        stop();
        reject(new PitvError('PITV_CANCELLED', 'Nothing was changed.'));
      };
      /** @param {string} text one key, or pasted text */
      const onData = (text) => {
        for (const [at, key] of [...text].entries()) {
          if (key === '\r' || key === '\n') {
            // The rest of the pasted text is for the next prompt.
            const rest = [...text].slice(at + 1).join('');
            stop();
            if (rest) input.unshift(rest);
            return resolve(typed.join(''));
          }
          if (key === KEY.interrupt || (key === KEY.end && typed.length === 0)) return cancel();
          if (KEY.erase.includes(key)) typed.pop();
          else if (key === KEY.clear) typed = [];
          else if (key >= ' ' && typed.length < MAX_BYTES) typed.push(key);
        }
      };
      const stop = () => {
        input.off('data', onData).off('end', cancel);
        input.pause();
      };
      input.on('data', onData).on('end', cancel).resume();
    });
  } finally {
    input.setRawMode?.(false);
    output.write('\n');
  }
}

/**
 * Reads the first line of a stream.
 * @param {NodeJS.ReadableStream} input
 * @returns {Promise<string>} without the line ending
 * @throws {PitvError} PITV_PASSWORD_INVALID when the line is longer than 4 KiB
 */
export async function readLine(input) {
  const parts = [];
  let length = 0;
  for await (const part of input) {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
    if (bytes.includes(0x0a)) break;
    if (length > MAX_BYTES) {
      throw new PitvError('PITV_PASSWORD_INVALID', 'The first line of the input is too long.');
    }
  }
  return Buffer.concat(parts).toString('utf8').split(/\r?\n/, 1)[0];
}

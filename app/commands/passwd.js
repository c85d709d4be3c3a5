/** `pitv passwd`: sets the admin's password. The TV may be running. */
import { createInterface } from 'node:readline';
import { sentenceText } from '../language/index.js';
import { PASSWORD_FILE, PasswordFile } from '../admin/password-file.js';
import { MIN_PASSWORD_LENGTH, checkNewPassword } from '../admin/password.js';
import { ADMIN_TOKEN_FILE } from '../admin/token.js';
import { SWITCH } from '../config/flags.js';
import { PitvError } from '../errors.js';
import { Store } from '../storage/store.js';
import { DATA_DIR, DATA_DIR_HELP, dataDirOf, notPermitted } from './common/data-dir.js';
import { printSentence } from './common/output.js';

const MAX_LINE_BYTES = 4096;

export const summary = "set the admin's password; in scripts, `pitv passwd < FILE`";

export const help = `Usage: pitv passwd [options]

Sets the password of the admin page. Prompts for it twice on a terminal, and otherwise reads the first line
of stdin. A running TV uses the new password at once, and all admins have to log in again.

${DATA_DIR_HELP}  --clear         remove the password: only the admin token gives access then
`;
export const options = { ...DATA_DIR, clear: SWITCH };

/** @param {Record<string, any>} flags */
export async function run(flags) {
  const dataDir = dataDirOf(flags);
  const store = new Store(dataDir);
  const problem = await store.open();
  const sentence = `The password cannot be saved in ${dataDir}`;
  if (problem) throw notPermitted('PITV_PASSWORD_NOT_KEPT', sentence, problem);
  const known = await store.has(ADMIN_TOKEN_FILE);
  const file = new PasswordFile(store);
  if (flags.clear) await file.clear();
  else if (process.stdin.isTTY) await file.set(await askPassword());
  else await file.set(await readLine(process.stdin));
  printSentence(
    flags.clear
      ? 'The password was removed. Only the admin token gives access now.'
      : `The password was set (${dataDir}/${PASSWORD_FILE}). All admins have to log in again.`,
  );
  if (known) return;
  printSentence(`No TV has used ${dataDir} yet. If that is the wrong one, give --data-dir.`);
}

/**
 * Asks for a new password twice, without showing it.
 * @param {{input?: NodeJS.ReadableStream, output?: NodeJS.WritableStream}} [terminal]
 * @returns {Promise<string>}
 * @throws {PitvError} PITV_PASSWORD_INVALID, PITV_CANCELLED: Ctrl-C, Ctrl-D, or the terminal was closed
 */
export async function askPassword({ input = process.stdin, output = process.stderr } = {}) {
  // Without an output nothing is echoed.
  const lines = createInterface({ input, terminal: true, historySize: 0 });
  const answers = lines[Symbol.asyncIterator](); // keeps the second one if both are pasted at once
  const ask = async (/** @type {string} */ prompt) => {
    output.write(sentenceText(prompt));
    const { value, done } = await answers.next();
    output.write('\n');
    if (done) throw new PitvError('PITV_CANCELLED', 'Nothing was changed.');
    return value;
  };
  try {
    const prompt = `New admin password (at least ${MIN_PASSWORD_LENGTH} characters): `;
    const password = checkNewPassword(await ask(prompt));
    if (password === (await ask('Repeat it: '))) return password;
    throw new PitvError('PITV_PASSWORD_INVALID', 'The passwords differ. Nothing was changed.');
  } finally {
    lines.close(); // restores the terminal
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
    if (length > MAX_LINE_BYTES) {
      throw new PitvError('PITV_PASSWORD_INVALID', 'The first line of the input is too long.');
    }
  }
  return Buffer.concat(parts).toString('utf8').split(/\r?\n/, 1)[0];
}

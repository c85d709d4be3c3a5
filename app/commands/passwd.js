/** `pitv passwd`: sets the admin's password. The TV may be running. */
import { sentenceText } from '../language/index.js';
import { PASSWORD_FILE, PasswordFile } from '../admin/password-file.js';
import { MIN_PASSWORD_LENGTH, checkNewPassword } from '../admin/password.js';
import { readLine, readSecret } from '../admin/secret-input.js';
import { ADMIN_TOKEN_FILE } from '../admin/token.js';
import { SWITCH } from '../config/flags.js';
import { PitvError } from '../errors.js';
import { Store } from '../storage/store.js';
import { DATA_DIR, DATA_DIR_HELP, dataDirOf, notPermitted } from './common/data-dir.js';
import { printSentence } from './common/output.js';

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
  else await file.set(await readPassword());
  printSentence(
    flags.clear
      ? 'The password was removed. Only the admin token gives access now.'
      : `The password was set (${dataDir}/${PASSWORD_FILE}). All admins have to log in again.`,
  );
  if (known) return;
  printSentence(`No TV has used ${dataDir} yet. If that is the wrong one, give --data-dir.`);
}

/** Reads the new password from the terminal or stdin. @throws {PitvError} PITV_PASSWORD_INVALID, PITV_CANCELLED */
async function readPassword() {
  if (!process.stdin.isTTY) return checkNewPassword(await readLine(process.stdin));
  const prompt = sentenceText(`New admin password (at least ${MIN_PASSWORD_LENGTH} characters): `);
  const password = checkNewPassword(await readSecret(prompt));
  if (password !== (await readSecret(sentenceText('Repeat it: ')))) {
    throw new PitvError('PITV_PASSWORD_INVALID', 'The passwords differ. Nothing was changed.');
  }
  return password;
}

/** `pitv passwd`: sets the admin's password, whether the TV runs or not. */
import { ADMIN_TOKEN_FILE } from '../admin/token.js';
import { PASSWORD_FILE, PasswordFile } from '../admin/password-file.js';
import { MIN_PASSWORD, checkNewPassword } from '../admin/password.js';
import { readLine, readSecret } from '../admin/secret-input.js';
import { parseFlags, variableName } from '../config/flags.js';
import { parseSettings } from '../config/parse.js';
import { PitvError } from '../errors.js';
import { Store } from '../storage/store.js';

export const summary = "set the admin's password anew; `pitv passwd < FILE` for scripts";

const HELP = `Usage: pitv passwd [options]

Sets the password of the admin page. A TV that runs takes it over at once, and everybody who was
logged in has to log in again. Asks for it twice; without a terminal its first line of input is taken.

  --data-dir DIR  of the TV; default as for pitv serve, environment ${variableName('dataDir')}
  --clear         no password: only the admin token lets in
`;

/** @param {string[]} argv */
export async function run(argv) {
  const flags = parseFlags(
    argv,
    { 'data-dir': { type: 'string' }, clear: { type: 'boolean' } },
    'pitv passwd',
  );
  if (flags.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const given = flags['data-dir'] === undefined ? [] : ['--data-dir', String(flags['data-dir'])];
  const { dataDir } = parseSettings(given);
  const store = new Store(dataDir);
  const problem = await store.open();
  if (problem) {
    throw new PitvError(
      'PITV_PASSWORD_NOT_KEPT',
      `Nothing can be written to ${dataDir}: ${problem}. Run this as the user that the TV runs as.`,
    );
  }
  const known = await store.has(ADMIN_TOKEN_FILE);
  const file = new PasswordFile(store);
  if (flags.clear) await file.clear();
  else await file.set(await ask());
  process.stdout.write(
    [
      flags.clear
        ? 'There is no password any more; the admin token lets in.'
        : `The password is set (${dataDir}/${PASSWORD_FILE}); who was logged in has to log in again.`,
      ...(known ? [] : [`No TV has run with ${dataDir} yet; is it the right one (--data-dir)?`]),
      '',
    ].join('\n'),
  );
  return 0;
}

/** @returns {Promise<string>} @throws {PitvError} PITV_PASSWORD_INVALID, PITV_CANCELLED */
async function ask() {
  if (!process.stdin.isTTY) return checkNewPassword(await readLine(process.stdin));
  const prompt = `New admin password (at least ${MIN_PASSWORD} characters): `;
  const password = checkNewPassword(await readSecret(prompt));
  if (password !== (await readSecret('The same again: '))) {
    throw new PitvError('PITV_PASSWORD_INVALID', 'The two are not the same; nothing was changed.');
  }
  return password;
}

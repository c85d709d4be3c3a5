/**
 * The admin password, which is one for all nodes of a fleet. Each node keeps it in its own data directory, so that its
 * admin can log in while it is cut off. The newest change wins; a node that joins takes that of the fleet.
 */
import { messageOf } from '../errors.js';
import { PASSWORD_RECORD } from '../admin/password.js';

const KEY = 'admin-password';
/** Time between two looks at the file, which `pitv passwd` changes, too. */
const LOOK_MS = 1000;

/** Tells whether a value is a setting of a fleet. @param {string} key @param {unknown} value */
export const isSetting = (key, value) => key === KEY && PASSWORD_RECORD.accepts(value);

/**
 * Begins to keep the password the same as that of the other nodes. Resolves when it is.
 * @param {Pick<import('./fleet.js').Fleet, 'tables' | 'log' | 'every'>} fleet
 * @param {import('../admin/password-file.js').PasswordFile} file
 */
export async function sharePassword({ tables, log, every }, file) {
  /** Tells the other nodes a password that was set here. */
  async function give() {
    const record = await file.current();
    const { isNew } = await file.unshared();
    if (!record || !(isNew || tables.get('settings', KEY) === undefined)) return;
    tables.tell('settings', KEY, record);
    await save(file.markShared(record));
  }

  /** Takes over the password of the fleet. */
  async function take() {
    const record = tables.get('settings', KEY);
    if (record) await save(file.adopt(record));
  }

  /** @param {Promise<unknown>} writing */
  const save = (writing) =>
    writing.catch((error) => {
      const about = { error: messageOf(error) };
      log.warn(about, 'the admin password of the fleet was not saved here');
    });

  tables.on('settings', () => void take());
  // A password that was set here before this node has ever been in the fleet does not replace that of the fleet.
  if (!(await file.unshared()).wasShared) await take();
  await give();
  await take();
  every(LOOK_MS, give);
}

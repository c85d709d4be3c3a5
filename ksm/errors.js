/** The errors of this package. Programs test `code`; `message` is for people. */

/** Code -> the problem and the remedy, in a sentence each. */
export const KSM_ERRORS = Object.freeze({
  KSM_UNSUPPORTED: {
    problem: 'The kernel, its configuration or a sandbox lacks what is needed.',
    remedy: 'Add what the message names, or run without KSM.',
  },
  KSM_PERMISSION: { problem: 'Only root may do this.', remedy: 'Run the command as root.' },
  KSM_LOCKED: {
    problem: 'Another controller drives ksmd.',
    remedy: 'Stop the process that the message names.',
  },
  KSM_SETTING: {
    problem: 'The kernel has no such setting, or does not accept its value.',
    remedy: 'Use a value that the message allows.',
  },
  KSM_USAGE: {
    exit: 2,
    problem: 'A command, an option or its value is wrong.',
    remedy: 'Run `pitv ksm --help`.',
  },
});

export class KsmError extends Error {
  /**
   * @param {keyof typeof KSM_ERRORS} code @param {string} message
   * @param {{cause?: unknown, missing?: string[]}} [options] missing: short names of missing features, such as
   *   'CONFIG_KSM', 'linux-6.4' or 'addon'
   */
  constructor(code, message, { cause, missing } = {}) {
    super(message, { cause });
    this.name = 'KsmError';
    this.code = code;
    this.missing = missing ?? [];
  }

  /** Exit status of a command that ends with this error: 1 failure, 2 invalid usage. */
  get exitCode() {
    return this.code === 'KSM_USAGE' ? 2 : 1;
  }
}

/** Returns the code of a thrown value, or '' without one. @param {unknown} error @returns {string} */
export function codeOf(error) {
  const code = /** @type {{code?: unknown} | undefined} */ (error)?.code;
  return typeof code === 'string' ? code : '';
}

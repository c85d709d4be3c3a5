/**
 * Every error this package raises on purpose: a stable code and a sentence that says what was wrong
 * and what to do.
 *
 *   KSM_UNSUPPORTED   the kernel, its configuration or a sandbox lacks what is needed; `missing` says what
 *   KSM_PERMISSION    it is there, but only root may
 *   KSM_LOCKED        another controller drives ksmd
 *   KSM_SETTING       no such setting, or not that value
 *   KSM_USAGE         a wrong argument or command
 */
export class KsmError extends Error {
  /**
   * @param {'KSM_UNSUPPORTED' | 'KSM_PERMISSION' | 'KSM_LOCKED' | 'KSM_SETTING' | 'KSM_USAGE'} code
   * @param {string} message
   * @param {{cause?: unknown, missing?: string[]}} [options] missing: short names of what is lacking,
   *   e.g. 'CONFIG_KSM', 'linux-6.4', 'addon'
   */
  constructor(code, message, { cause, missing } = {}) {
    super(message, { cause });
    this.name = 'KsmError';
    this.code = code;
    this.missing = missing ?? [];
  }

  /** Exit status of a command that ends with this error: 1 failed, 2 bad usage. */
  get exitCode() {
    return this.code === 'KSM_USAGE' ? 2 : 1;
  }
}

/**
 * The code of whatever was thrown, '' when it has none.
 * @param {unknown} error @returns {string}
 */
export function codeOf(error) {
  const code = /** @type {{code?: unknown} | undefined} */ (error)?.code;
  return typeof code === 'string' ? code : '';
}

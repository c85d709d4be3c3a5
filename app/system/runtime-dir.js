/**
 * Files of the TV in `--runtime-dir` for the system around it: the text of the television's console, and requests
 * for actions that need root. A service of the system watches the directory and acts on them.
 */
import { access, chmod, constants, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { terminalQr } from './banner.js';
import { PitvError } from '../errors.js';

/** Actions of the system that the admin may request: the names of the files. */
export const POWER_ACTIONS = Object.freeze(/** @type {const} */ (['reboot', 'poweroff']));

/**
 * Formats the text of the console: QR code, addresses, join code and problems.
 * @param {object} content
 * @param {string[]} content.urls
 * @param {string} content.joinUrl
 * @param {string} content.code
 * @param {string[]} content.problems
 * @param {string} content.version
 * @returns {Promise<string>} lines of at most 80 columns
 */
export async function consoleText({ urls, joinUrl, code, problems, version }) {
  const qr = terminalQr(joinUrl, false);
  const beside = [
    `pitv ${version}`,
    '',
    'Screen: open one of these in a browser',
    ...urls.slice(0, 5).map((url) => `  ${url}`),
    '',
    'Phones: scan the code, or open',
    `  ${joinUrl.replace(/\/p\?.*$/, '/pad')}`,
    `and type  ${code}`,
  ];
  const left = qr.split('\n').filter((line) => line !== '');
  const width = Math.max(...left.map((line) => [...line].length));
  const lines = [];
  for (let row = 0; row < Math.max(left.length, beside.length); row++) {
    lines.push(` ${(left[row] ?? '').padEnd(width)}  ${beside[row] ?? ''}`.trimEnd());
  }
  const wrong = problems.flatMap((sentence) => wrap(`! ${sentence}`, 76));
  return ['', ...lines, '', ...wrong.map((line) => ` ${line}`), ''].join('\n');
}

/** Breaks a text into lines; all but the first are indented. @param {string} text @param {number} columns */
function wrap(text, columns) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1];
    if (line !== '' && line.length + 1 + word.length > columns) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

export class RuntimeDir {
  /** The content of the last console text, as JSON. */
  #shown = '';

  /** @param {string} directory empty: the TV has no runtime directory */
  constructor(directory) {
    this.directory = directory;
  }

  /** Writes the text of the console if it has changed. @param {Parameters<typeof consoleText>[0]} content */
  async show(content) {
    if (this.directory === '') return;
    const state = JSON.stringify(content);
    if (state === this.#shown) return;
    const path = join(this.directory, 'console');
    await writeFile(`${path}.new`, await consoleText(content));
    await chmod(`${path}.new`, 0o644); // the console's service runs as another user
    await rename(`${path}.new`, path);
    this.#shown = state;
  }

  /** Tells whether requests can be written. @returns {Promise<boolean>} */
  async canRequest() {
    if (this.directory === '') return false;
    return access(this.directory, constants.W_OK).then(
      () => true,
      () => false,
    );
  }

  /**
   * Requests an action of the system.
   * @param {typeof POWER_ACTIONS[number] | 'update'} action
   * @param {string} [detail] content of the file
   * @throws {PitvError} PITV_SYSTEM_NOT_OURS
   */
  async request(action, detail = '') {
    if (!(await this.canRequest())) {
      throw new PitvError(
        'PITV_SYSTEM_NOT_OURS',
        'This TV runs beside other programs and cannot reboot or power off the machine.',
      );
    }
    const path = join(this.directory, action);
    await writeFile(`${path}.new`, detail);
    await rename(`${path}.new`, path); // the service reads it as soon as it exists
  }
}

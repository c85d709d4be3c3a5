/**
 * What the TV leaves in `--runtime-dir` for the system around it: the text of the television's console, and
 * wishes that only root can fulfil. Whoever watches the directory decides what comes of them.
 */
import { access, chmod, constants, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { terminalQr } from './banner.js';
import { PitvError } from '../errors.js';

/** What may be wished for: the names of the files. */
export const WISHES = Object.freeze(/** @type {const} */ (['reboot', 'poweroff']));

/**
 * @param {object} what
 * @param {string[]} what.urls
 * @param {string} what.joinUrl
 * @param {string} what.code
 * @param {string[]} what.problems
 * @param {string} what.version
 * @returns {Promise<string>} for a console of 80 columns
 */
export async function consoleText({ urls, joinUrl, code, problems, version }) {
  const qr = await terminalQr(joinUrl, false);
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

/** @param {string} text @param {number} columns @returns {string[]} */
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
  #shown = '';

  /** @param {string} directory empty: nobody watches */
  constructor(directory) {
    this.directory = directory;
  }

  /** @param {Parameters<typeof consoleText>[0]} what */
  async show(what) {
    if (this.directory === '') return;
    const state = JSON.stringify(what);
    if (state === this.#shown) return;
    const path = join(this.directory, 'console');
    await writeFile(`${path}.new`, await consoleText(what));
    await chmod(`${path}.new`, 0o644); // for whoever draws the console, whatever the umask
    await rename(`${path}.new`, path);
    this.#shown = state;
  }

  /** @returns {Promise<boolean>} is there anybody who could fulfil a wish? */
  async grants() {
    if (this.directory === '') return false;
    return access(this.directory, constants.W_OK).then(
      () => true,
      () => false,
    );
  }

  /**
   * @param {typeof WISHES[number]} what
   * @throws {PitvError} PITV_SYSTEM_NOT_OURS
   */
  async wish(what) {
    if (!(await this.grants())) {
      throw new PitvError(
        'PITV_SYSTEM_NOT_OURS',
        'This TV is a program among others on its machine: it does not switch it off.',
      );
    }
    await writeFile(join(this.directory, what), '');
  }
}

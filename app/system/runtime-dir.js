/**
 * Files of the TV in `--runtime-dir` for the system around it: the text of the television's console, and requests
 * for actions that need root. A service of the system watches the directory and acts on them.
 */
import { chmod, constants, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { terminalQr } from './banner.js';
import { PitvError } from '../errors.js';
import { canAccess } from '../storage/saved-files.js';

/** Actions of the system that the admin may request: the names of the files. */
export const POWER_ACTIONS = Object.freeze(/** @type {const} */ (['reboot', 'poweroff']));

/**
 * Formats the text of the console: QR code, addresses, join code and problems.
 * @param {object} content @param {string[]} content.urls @param {string} content.joinUrl
 * @param {string} content.code @param {string[]} content.problems @param {string} content.version
 * @param {boolean} content.hasNetwork
 * @param {import('./wifi-setup.js').AccessPoint} [content.accessPoint] of a board without a network
 * @returns {string} lines of at most 80 columns
 */
export function consoleText({ problems, version, accessPoint, ...tv }) {
  const { qr, lines } = accessPoint ? accessPointText(accessPoint) : tvText(tv);
  const beside = [`pitv ${version}`, '', ...lines];
  const code = qr === undefined ? [] : terminalQr(qr, false).trimEnd().split('\n');
  const width = Math.max(...code.map((line) => [...line].length + 2));
  const rows = Array.from({ length: Math.max(code.length, beside.length) }, (_, row) =>
    ` ${(code[row] ?? '').padEnd(width)}${beside[row] ?? ''}`.trimEnd(),
  );
  const all = accessPoint?.problem ? [accessPoint.problem, ...problems] : problems;
  const sentences = all.flatMap((sentence) => wrap(`! ${sentence}`, 76)).map((line) => ` ${line}`);
  return ['', ...rows, '', ...sentences, ''].join('\n');
}

/** @typedef {{qr?: string, lines: string[]}} Text qr: text of the QR code beside the lines */

/** @param {Pick<Parameters<typeof consoleText>[0], 'urls' | 'joinUrl' | 'code' | 'hasNetwork'>} tv @returns {Text} */
function tvText({ urls, joinUrl, code, hasNetwork }) {
  if (!hasNetwork) {
    const advice = 'Plug in a network cable, or wait for the Wi-Fi.';
    return { lines: ['This TV has no network.', advice] };
  }
  const lines = [
    'Screen: open one of these in a browser',
    ...urls.slice(0, 5).map((url) => `  ${url}`),
    '',
    'Phones: scan the code, or open',
    `  ${joinUrl.replace(/\/p\?.*$/, '/pad')}`,
    `and type  ${code}`,
  ];
  return { qr: joinUrl, lines };
}

/** @param {import('./wifi-setup.js').AccessPoint} accessPoint @returns {Text} */
function accessPointText({ phase, name, password, address }) {
  if (phase === 'joining') return { lines: ['Joining the Wi-Fi. This takes a minute at most.'] };
  const lines = [
    'This TV has no network.',
    'Plug in a network cable, or choose a Wi-Fi:',
    '',
    '1. Scan the code with a phone, or join',
    `   the Wi-Fi  ${name}`,
    `   password   ${password}`,
    '2. Choose your Wi-Fi on the page that opens.',
    '   If none opens, go to',
    `   http://${address}`,
  ];
  return { qr: `WIFI:T:WPA;S:${name};P:${password};;`, lines };
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
    await writeFile(`${path}.new`, consoleText(content));
    await chmod(`${path}.new`, 0o644); // the console's service runs as another user
    await rename(`${path}.new`, path);
    this.#shown = state;
  }

  /** Tells whether requests can be written. @returns {Promise<boolean>} */
  async canRequest() {
    return this.directory !== '' && canAccess(this.directory, constants.W_OK);
  }

  /** Tells whether a request waits for the system. @param {string} action see request() */
  async isRequested(action) {
    return this.directory !== '' && canAccess(join(this.directory, action));
  }

  /**
   * Requests an action of the system.
   * @param {typeof POWER_ACTIONS[number] | 'update' | 'wifi'} action
   * @param {string} [detail] content of the file
   * @throws {PitvError} PITV_SYSTEM_NOT_OURS
   */
  async request(action, detail = '') {
    if (!(await this.canRequest())) {
      const sentence =
        'This TV runs beside other programs and cannot reboot or power off the machine.';
      throw new PitvError('PITV_SYSTEM_NOT_OURS', sentence);
    }
    const path = join(this.directory, action);
    await writeFile(`${path}.new`, detail, { mode: 0o600 }); // it may be a password
    await rename(`${path}.new`, path); // the service reads it as soon as it exists
  }
}

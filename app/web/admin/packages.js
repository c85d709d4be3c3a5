import { byId, byIdAs, h, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { confirmButton } from './confirm-button.js';
import { errorMessage, request } from '../lib/request.js';
import { kilobytes, stepText } from './view.js';

/** The table of games on the Games tab, and the upload of a package. */

/**
 * @typedef {object} GameInfo
 * @property {string} id
 * @property {string} title
 * @property {{name: string, version: string, bytes: number} | null} installed null: a game that is part of pitv
 * @property {string | null} problem why it cannot be played
 * @property {number} matches
 * @property {number} crashes
 */

export const GAME_COLUMNS = Object.freeze([
  textOf('column.game'),
  textOf('column.title'),
  textOf('column.version'),
  textOf('column.size'),
  textOf('column.state'),
  textOf('games.matches'),
  textOf('column.crashes'),
  textOf('column.lastStep'),
]);

/**
 * Returns the rows of the table of games.
 * @param {GameInfo[]} games
 * @param {import('../lib/prometheus.js').Sample[]} samples
 * @returns {string[][]}
 */
export function gameRows(games, samples) {
  return games.map(({ id, title, installed, problem, matches, crashes }) => [
    id,
    title,
    installed ? installed.version : textOf('games.own'),
    installed ? kilobytes(installed.bytes) : '–',
    problem ? textOf('games.broken', { problem }) : textOf('games.fine'),
    String(matches),
    String(crashes),
    stepText(samples, id),
  ]);
}

/**
 * Makes the button that removes a game.
 * @param {GameInfo} game
 * @param {(path: string) => unknown} remove
 * @returns {HTMLElement} empty for a game of pitv
 */
export function removeGameButton({ id, installed }, remove) {
  if (!installed) return h('span', {});
  return confirmButton({
    text: textOf('games.uninstall'),
    sure: textOf('games.uninstall.sure', { id }),
    onConfirm: () => remove(`/api/packages/${encodeURIComponent(id)}`),
    props: { id: `uninstall-${id}` },
  });
}

/** Sets up the upload of a package. @param {() => unknown} onInstalled */
export function setUpUpload(onInstalled) {
  const input = byIdAs('package', HTMLInputElement);
  const message = byId('upload-message');
  input.onchange = async () => {
    const [file] = input.files ?? [];
    if (!file) return;
    input.disabled = true;
    message.className = '';
    setText(message, textOf('games.uploading', { name: file.name }));
    try {
      const response = await request('/api/packages', {
        method: 'POST',
        body: file,
        headers: { 'Content-Type': 'application/gzip' },
      });
      const { id, version } = await response.json();
      setText(message, textOf('games.installed', { id, version }));
    } catch (error) {
      message.className = 'bad';
      setText(message, errorMessage(error));
    }
    input.value = '';
    input.disabled = false;
    onInstalled();
  };
}

import { byId, byIdAs, setText } from '../lib/dom.js';
import { titleOf } from '../lib/games.js';
import { text as textOf } from '../lib/language.js';
import { errorMessage, requestJson } from '../lib/request.js';
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

/**
 * Returns the columns of the table of games.
 * @param {import('./view.js').Sample[]} samples
 * @returns {import('./widgets.js').Column<GameInfo>[]}
 */
export const gameColumns = (samples) => [
  [textOf('column.game'), ({ id }) => id],
  [textOf('column.title'), ({ id, title }) => titleOf(id, title)],
  [textOf('column.version'), ({ installed }) => installed?.version ?? textOf('games.own')],
  [textOf('column.size'), ({ installed }) => (installed ? kilobytes(installed.bytes) : '–')],
  [
    textOf('column.state'),
    ({ problem }) => (problem ? textOf('games.broken', { problem }) : textOf('games.fine')),
  ],
  [textOf('games.matches'), ({ matches }) => matches],
  [textOf('column.crashes'), ({ crashes }) => crashes],
  [textOf('column.lastStep'), ({ id }) => stepText(samples, id)],
];

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
      const headers = { 'Content-Type': 'application/gzip' };
      const options = { method: 'POST', body: file, headers };
      const { id, version } = await requestJson('/api/packages', options);
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

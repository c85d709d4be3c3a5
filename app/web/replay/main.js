import '../lib/modern.js';
import { byId, byIdAs, setText } from '../lib/dom.js';
import { translatePage } from '../lib/language.js';
import { MAX_REPLAY_BYTES, ReplayError } from '../../game/replay-file.js';
import { ReplayPlayer, loadReplay, replayProblem } from './player.js';

/** The page /replay: plays a file that is chosen or dropped, or the match in the address (?match=ID). */

/** @param {Promise<ArrayBuffer>} bytes */
async function play(bytes) {
  setText(byId('problem'), '');
  try {
    new ReplayPlayer(await bytes);
  } catch (error) {
    setText(byId('problem'), replayProblem(error));
  }
}

/** @param {File | undefined} file */
async function playFile(file) {
  if (!file) return;
  const isLarge = file.size > MAX_REPLAY_BYTES;
  await play(
    isLarge
      ? Promise.reject(new ReplayError('It is too large.'))
      : new Response(file).arrayBuffer(),
  );
}

translatePage();
byIdAs('file', HTMLInputElement).onchange = () =>
  playFile(byIdAs('file', HTMLInputElement).files?.[0]);
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  void playFile(event.dataTransfer?.files[0]);
});
const match = new URLSearchParams(location.search).get('match');
if (match) void play(loadReplay(match));

import { FrameView, InterpolatedBodies } from './frame-view.js';
import { loadFile, loadPictures } from './game-files.js';
import { PLAYER_COLORS } from '../../match/player-colors.js';
import { Renderer } from './renderer.js';
import { tvUrl } from './request.js';
import { bodyColors } from './teams.js';

/** @typedef {import('./types.js').Game} Game */

/** Draws previews of the games: one frame of a game's demo, drawn by the same renderer as the game. */

/** A busy TV may not be able to make a picture. It tries again after this time, see LIMITS.previewPause. */
const RETRY_MS = 30_000;
const MAX_TRIES = 10;
const WHOLE = Object.freeze({ x: 0, y: 0, width: 1, height: 1 });

/** By game. @type {Map<string, {version: string, frame: Promise<ArrayBuffer | null>}>} */
const frames = new Map();

/** Fetches the frame of a game. @param {Game} game @returns {Promise<ArrayBuffer | null>} null if there is none */
function fetchFrame({ id, version }) {
  const known = frames.get(id);
  if (known?.version === version) return known.frame;
  const frame = loadRepeatedly(tvUrl(`/api/games/${encodeURIComponent(id)}/preview`));
  frames.set(id, { version, frame });
  void frame.then((buffer) => buffer ?? frames.delete(id)); // try again next time
  return frame;
}

/** @param {string} url @returns {Promise<ArrayBuffer | null>} null after the last attempt */
async function loadRepeatedly(url) {
  for (let tries = 1; ; tries++) {
    const buffer = await loadFile(url);
    if (buffer || tries === MAX_TRIES) return buffer;
    await new Promise((resolve) => void setTimeout(resolve, RETRY_MS));
  }
}

/**
 * Draws a game's preview.
 * @param {HTMLCanvasElement} canvas the preview gets its size on the page
 * @param {Game} game
 * @param {object} [options]
 * @param {() => boolean} [options.wanted] called when the frame has arrived; false cancels
 * @param {{x: number, y: number, width: number, height: number}} [options.area] area of the
 *   world, in parts of the canvas
 * @returns {Promise<boolean>} whether it was drawn
 */
export async function drawPreview(canvas, game, { wanted = () => true, area = WHOLE } = {}) {
  const [buffer, pictures] = await Promise.all([fetchFrame(game), loadPictures(game)]);
  if (!wanted()) return false;
  const width = canvas.clientWidth * devicePixelRatio;
  const height = canvas.clientHeight * devicePixelRatio;
  if (!buffer || width === 0) return false;
  const drawn = [game.id, game.version, width, height].join(' ');
  if (canvas.getAttribute('data-drawn') === drawn) return true;
  const frame = new FrameView(buffer);
  const bodies = new InterpolatedBodies();
  bodies.fill(frame, frame, frame.tick);
  const colors = bodyColors(frame, game.teams ?? [], PLAYER_COLORS);
  const renderer = new Renderer(canvas, game.view, { colors });
  renderer.resize(width, height, {
    x: area.x * width,
    y: area.y * height,
    width: area.width * width,
    height: area.height * height,
  });
  renderer.setPictures(pictures);
  renderer.draw(frame, bodies, 0);
  canvas.setAttribute('data-drawn', drawn);
  return true;
}

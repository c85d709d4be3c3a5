import { FrameView, InterpolatedBodies } from './frame-view.js';
import { loadPictures } from './game-files.js';
import { PLAYER_COLORS } from '../../match/player-colors.js';
import { Renderer } from './renderer.js';
import { bodyColors } from './teams.js';
import { tvUrl } from './tv-url.js';

/** @typedef {import('./types.js').Game} Game */

/** Draws previews of the games: one frame of a game's demo, drawn by the same renderer as the game. */

/** Size of the sprite atlas, px. Previews are small, and a page has several. */
const ATLAS_SIZE = 1024;

/** By game and version. @type {Map<string, Promise<ArrayBuffer | null>>} */
const frames = new Map();

/** @param {Game} game */
const keyOf = ({ id, version }) => `${id} ${version}`;

/** Fetches the frame of a game. @param {Game} game @returns {Promise<ArrayBuffer | null>} null if there is none */
function fetchFrame(game) {
  const key = keyOf(game);
  const { id } = game;
  let frame = frames.get(key);
  if (!frame) {
    for (const other of frames.keys()) if (other.startsWith(`${id} `)) frames.delete(other);
    frame = fetch(tvUrl(`/api/games/${encodeURIComponent(id)}/preview`))
      .then((response) => (response.ok ? response.arrayBuffer() : null))
      .catch(() => null)
      .then((buffer) => {
        if (!buffer) frames.delete(key); // try again next time
        return buffer;
      });
    frames.set(key, frame);
  }
  return frame;
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
export async function drawPreview(
  canvas,
  game,
  { wanted = () => true, area = { x: 0, y: 0, width: 1, height: 1 } } = {},
) {
  const [buffer, pictures] = await Promise.all([fetchFrame(game), loadPictures(game)]);
  if (!wanted()) return false;
  const width = canvas.clientWidth * devicePixelRatio;
  const height = canvas.clientHeight * devicePixelRatio;
  if (!buffer || width === 0) return false;
  const drawn = `${keyOf(game)} ${width} ${height}`;
  if (canvas.getAttribute('data-drawn') === drawn) return true;
  try {
    const frame = new FrameView(buffer);
    const bodies = new InterpolatedBodies();
    bodies.fill(frame, frame, 1, 1);
    const colors = bodyColors(frame, game.teams ?? [], PLAYER_COLORS);
    const renderer = new Renderer(canvas, game.view, { atlasSize: ATLAS_SIZE, colors });
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
  } catch {
    return false; // the frame has another version
  }
}

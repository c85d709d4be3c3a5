import { FrameView, Scene } from './frame-view.js';
import { Renderer } from './renderer.js';

/**
 * The games' pictures: one frame of the game's own demo, drawn here by the same renderer as the
 * game itself.
 */

/** A picture is small, and a page has several: px. */
const ATLAS_SIZE = 1024;

/** @type {Map<string, Promise<ArrayBuffer | null>>} */
const frames = new Map();

/** @param {string} id of a game @returns {Promise<ArrayBuffer | null>} null: there is no picture */
function frameOf(id) {
  let frame = frames.get(id);
  if (!frame) {
    frame = fetch(`/api/games/${encodeURIComponent(id)}/preview`)
      .then((response) => (response.ok ? response.arrayBuffer() : null))
      .catch(() => null)
      .then((buffer) => {
        if (!buffer) frames.delete(id); // the next look may find one
        return buffer;
      });
    frames.set(id, frame);
  }
  return frame;
}

/**
 * @param {HTMLCanvasElement} canvas drawn at the size it has on the page
 * @param {import('./types.js').Game} game
 * @param {object} [options]
 * @param {() => boolean} [options.wanted] asked when the picture has come: is it still to be drawn?
 * @param {{x: number, y: number, width: number, height: number}} [options.area] where the world
 *   goes, in shares of the canvas
 * @returns {Promise<boolean>} whether it was drawn
 */
export async function drawPicture(
  canvas,
  game,
  { wanted = () => true, area = { x: 0, y: 0, width: 1, height: 1 } } = {},
) {
  const buffer = await frameOf(game.id);
  if (!wanted()) return false;
  const width = canvas.clientWidth * devicePixelRatio;
  const height = canvas.clientHeight * devicePixelRatio;
  if (!buffer || width === 0) return false;
  const drawn = `${game.id} ${width} ${height}`;
  if (canvas.getAttribute('data-drawn') === drawn) return true;
  try {
    const frame = new FrameView(buffer);
    const scene = new Scene();
    scene.fill(frame, frame, 1, 1);
    const renderer = new Renderer(canvas, game.view, { atlasSize: ATLAS_SIZE });
    renderer.resize(width, height, {
      x: area.x * width,
      y: area.y * height,
      width: area.width * width,
      height: area.height * height,
    });
    renderer.draw(frame, scene, 0);
    canvas.setAttribute('data-drawn', drawn);
    return true;
  } catch {
    return false; // a picture of another version of the format: the card stays plain
  }
}

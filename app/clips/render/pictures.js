/**
 * Replays a part of a match and draws it with the page's own renderer on a software canvas. A clip
 * therefore looks like the screen.
 */
import { seededRandom } from '../../web/lib/random.js';
import { Canvas } from '../canvas/canvas.js';

/** The strip above the world, as the page has it: share of the width. */
const STRIP_SHARE = 0.044;
const MARGIN_SHARE = 0.008;
const TICK_HZ = 60;

/**
 * @typedef {object} RenderJob what to render; structured-clonable
 * @property {string} gameUrl
 * @property {Record<string, number>} options of the match
 * @property {import('../../match/replay-log.js').Replay} replay
 * @property {number} width px @property {number} height px
 * @property {number} fps a divisor of 60
 */

/** Counts the pictures of a clip. @param {RenderJob} job @returns {number} */
export function pictureCount({ replay, fps }) {
  return Math.max(0, Math.floor(((replay.toTick - replay.fromTick) * fps) / TICK_HZ));
}

/**
 * Defines the globals of a browser that the page's modules use. For a process of its own only.
 * @param {() => any} [createCanvas]
 */
export function pretendBrowser(createCanvas = () => new Canvas()) {
  Object.assign(globalThis, { document: { createElement: createCanvas } });
  Math.random = seededRandom(1); // sparks and shakes are the same each time
}

/**
 * Renders the pictures of a clip. Call pretendBrowser() first.
 * @param {RenderJob} renderJob
 * @returns {AsyncGenerator<{canvas: Canvas, tick: number, bodies: import('../../web/lib/frame-view.js').Scene,
 *   place: {x: number, y: number, scale: number}}>} one per picture; all share one canvas
 */
export async function* renderPictures(renderJob) {
  const { replay, options, width, height, fps } = renderJob;
  const [{ Renderer }, { FrameView, Scene }, { slotColors }, { ScoreOverlay }, { standings }] =
    await Promise.all([
      import('../../web/lib/renderer.js'),
      import('../../web/lib/frame-view.js'),
      import('../../web/lib/color.js'),
      import('./score-overlay.js'),
      import('../../web/screen/scoreboard.js'),
    ]);
  const { default: game } = await import(renderJob.gameUrl);
  const job = game.start(options);
  job.restore(replay.checkpoint);

  const canvas = /** @type {Canvas} */ (
    /** @type {any} */ (globalThis.document.createElement('canvas'))
  );
  const renderer = new Renderer(/** @type {any} */ (canvas), game.view);
  const strip = Math.round(width * STRIP_SHARE);
  const margin = height * MARGIN_SHARE;
  renderer.resize(width, height, {
    x: margin,
    y: strip,
    width: width - 2 * margin,
    height: height - strip - margin,
  });
  const context = /** @type {any} */ (canvas).getContext('2d');
  const overlay = new ScoreOverlay(context, game, width, height);
  const bodies = new Scene();
  const target = new Uint8Array(new ArrayBuffer(game.sizes(options).frameBytes));
  const rosters = [...replay.rosters];
  /** @type {import('../../web/lib/types.js').Slot[]} */
  let slots = [];
  let colors = slotColors([]);

  const stepTicks = TICK_HZ / fps;
  let at = 0;
  let wanted = replay.fromTick + stepTicks;
  for (let tick = replay.checkpointTick + 1; tick <= replay.toTick; tick++, at += replay.slots) {
    job.step(
      (/** @type {number} */ slot) => replay.words[at + slot],
      () => 0,
    );
    if (tick < wanted) continue;
    wanted += stepTicks;
    let recast = false;
    while (rosters.length > 0 && rosters[0].tick <= tick) {
      slots = slotsOf(rosters.shift()?.roster ?? []);
      recast = true;
    }
    if (recast) {
      colors = slotColors(slots);
      renderer.setPlayers(
        colors,
        slots.map(({ player }) => player?.name ?? null),
      );
    }
    const length = job.writeFrame(target);
    const frame = new FrameView(target.buffer.slice(0, length));
    bodies.fill(frame, frame, 1, 1);
    renderer.draw(frame, bodies, 1000 / fps);
    overlay.draw(frame, standings(frame, slots, colors));
    yield { canvas, tick, bodies, place: renderer.place };
  }
}

/** @param {import('../../match/replay-log.js').Roster} roster @returns {import('../../web/lib/types.js').Slot[]} */
function slotsOf(roster) {
  return roster.map(({ slot, name, color }) => ({
    slot,
    player: name === null ? null : { id: slot, name, color: color ?? '' },
  }));
}

/**
 * @param {Canvas} canvas
 * @param {Uint8Array} target r, g, b of each pixel
 */
export function packRgb({ pixels, width, height }, target) {
  for (let from = 0, to = 0; from < width * height * 4; from += 4, to += 3) {
    target[to] = pixels[from];
    target[to + 1] = pixels[from + 1];
    target[to + 2] = pixels[from + 2];
  }
}

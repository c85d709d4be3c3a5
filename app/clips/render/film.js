/**
 * Plays a part of a match again and draws it, with the page's own renderer on a canvas in software: the
 * picture of a clip is the picture of the screen.
 */
import { Canvas } from '../canvas/canvas.js';

/** The strip above the world, as the page has it: share of the width. */
const STRIP_SHARE = 0.044;
const MARGIN_SHARE = 0.008;
const TICK_HZ = 60;

/**
 * @typedef {object} Scene what is to be filmed; structured-clonable
 * @property {string} gameUrl
 * @property {Record<string, number>} options the match's
 * @property {import('../../match/replay-log.js').Replay} replay
 * @property {number} width px @property {number} height px
 * @property {number} fps a divisor of 60
 */

/** @param {Scene} scene @returns {number} pictures in it */
export function pictureCount({ replay, fps }) {
  return Math.max(0, Math.floor(((replay.toTick - replay.fromTick) * fps) / TICK_HZ));
}

/**
 * What moves by chance (sparks, the picture's shaking) is the same each time.
 * @returns {() => number} 0..1
 */
function repeatable() {
  let state = 1;
  return () => (state = (state * 48271) % 0x7fffffff) / 0x7fffffff;
}

/**
 * Defines the globals of a browser that the page's modules use. For a process of its own only.
 * @param {() => any} [createCanvas]
 */
export function pretendBrowser(createCanvas = () => new Canvas()) {
  Object.assign(globalThis, { document: { createElement: createCanvas } });
  Math.random = repeatable();
}

/**
 * To be called after pretendBrowser().
 * @param {Scene} scene
 * @returns {AsyncGenerator<{canvas: Canvas, tick: number, bodies: import('../../web/lib/frame-view.js').Scene,
 *   place: {x: number, y: number, scale: number}}>} each picture; the canvas is used again
 */
export async function* film(scene) {
  const { replay, options, width, height, fps } = scene;
  const [{ Renderer }, { FrameView, Scene }, { slotColors }, { Hud }, { standings }] =
    await Promise.all([
      import('../../web/lib/renderer.js'),
      import('../../web/lib/frame-view.js'),
      import('../../web/lib/color.js'),
      import('./hud.js'),
      import('../../web/screen/hud.js'),
    ]);
  const { default: game } = await import(scene.gameUrl);
  const job = game.start(options);
  job.restore(replay.checkpoint);

  const canvas = /** @type {Canvas} */ (/** @type {any} */ (document.createElement('canvas')));
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
  const hud = new Hud(context, game, width, height);
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
    hud.draw(frame, standings(frame, slots, colors));
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

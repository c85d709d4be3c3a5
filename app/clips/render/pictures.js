/**
 * Replays a part of a match and draws it with the page's renderer on a software canvas, so that a clip looks like the
 * screen.
 */
import { seededRandom } from '../../web/lib/random.js';
import { Canvas } from '../canvas/canvas.js';
import { Picture } from '../canvas/picture.js';

/** Height of the strip above the world, as on the page: share of the width. */
const STRIP_SHARE = 0.044;
const MARGIN_SHARE = 0.008;
const TICK_HZ = 60;

/**
 * @typedef {object} RenderJob what to render; structured-clonable
 * @property {string} gameUrl
 * @property {import('../../engine/lock-support.js').Lock} [lock] of a game of others
 * @property {import('../decode-pictures.js').Art} [art] of a package
 * @property {Record<string, object>} [translations] of the game and its package
 * @property {import('../decode-pictures.js').RawPicture[]} [pictures] decoded
 * @property {Record<string, number>} options of the match
 * @property {import('../../match/replay-log.js').Replay} replay
 * @property {number} width px @property {number} height px
 * @property {number} fps a divisor of 60
 * @property {string} [language] of the texts
 */

/** Counts the pictures of a clip. @param {RenderJob} job @returns {number} */
export function pictureCount({ replay, fps }) {
  return Math.max(0, Math.floor(((replay.toTick - replay.fromTick) * fps) / TICK_HZ));
}

/**
 * Defines the globals of a browser that the page's modules use. Call this only in a process that renders and does
 * nothing else.
 * @param {() => any} [createCanvas]
 * @param {string} [language] of the page
 */
export function defineBrowserGlobals(createCanvas = () => new Canvas(), language = 'en') {
  const documentElement = { getAttribute: () => language };
  Object.assign(globalThis, { document: { createElement: createCanvas, documentElement } });
  Math.random = seededRandom(1); // so that effects are the same in each rendering
}

/**
 * Renders the pictures of a clip. Call defineBrowserGlobals() first.
 * @param {RenderJob} renderJob
 * @returns {AsyncGenerator<{canvas: Canvas, tick: number, bodies:
 *   import('../../web/lib/frame-view.js').InterpolatedBodies, place: {x: number, y: number, scale: number}}>} one for
 *   each picture; all have the same canvas
 */
export async function* renderPictures(renderJob) {
  const { replay, options, width, height, fps } = renderJob;
  const [
    { Renderer },
    { FrameView, InterpolatedBodies },
    { slotColors },
    { ScoreOverlay },
    { listStandings },
    { bodyColors, listTeams, teamsKey },
    { translateGame },
    { language },
  ] = await Promise.all([
    import('../../web/lib/renderer.js'),
    import('../../web/lib/frame-view.js'),
    import('../../web/lib/color.js'),
    import('./score-overlay.js'),
    import('../../web/screen/scoreboard.js'),
    import('../../web/lib/teams.js'),
    import('../../web/lib/games.js'),
    import('../../web/lib/language.js'),
  ]);
  const { default: played } = await import(renderJob.gameUrl);
  const { translations = played.translations } = renderJob;
  const game = translateGame({ ...played, translations }, language);
  const job = played.start(options);
  job.restore(replay.checkpoint);

  const canvas = /** @type {Canvas} */ (
    /** @type {any} */ (globalThis.document.createElement('canvas'))
  );
  const renderer = new Renderer(/** @type {any} */ (canvas), game.view);
  renderer.setPictures(/** @type {any} */ (picturesOf(renderJob)));
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
  const bodies = new InterpolatedBodies();
  const target = new Uint8Array(new ArrayBuffer(played.sizes(options).frameBytes));
  const rosters = [...replay.rosters];
  /** @type {import('../../web/lib/types.js').Slot[]} */
  let slots = [];
  let colors = slotColors([]);
  const { teams = [] } = game;
  let shownTeams = -1;

  const stepTicks = TICK_HZ / fps;
  let at = 0;
  let nextPictureTick = replay.fromTick + stepTicks;
  for (let tick = replay.checkpointTick + 1; tick <= replay.toTick; tick++, at += replay.slots) {
    job.step(
      (/** @type {number} */ slot) => replay.words[at + slot],
      () => 0,
    );
    if (tick < nextPictureTick) continue;
    nextPictureTick += stepTicks;
    let rosterChanged = false;
    while (rosters.length > 0 && rosters[0].tick <= tick) {
      slots = slotsOf(rosters.shift()?.roster ?? []);
      rosterChanged = true;
    }
    const length = job.writeFrame(target);
    const frame = new FrameView(target.buffer.slice(0, length));
    if (rosterChanged || teamsKey(frame, teams) !== shownTeams) {
      colors = slotColors(slots);
      shownTeams = teamsKey(frame, teams);
      const names = slots.map(({ player }) => player?.name ?? null);
      renderer.setPlayers(bodyColors(frame, teams, colors), names, colors);
    }
    bodies.fill(frame, frame, 1, 1);
    renderer.draw(frame, bodies, 1000 / fps);
    const players = listStandings(frame, slots, colors, teams);
    overlay.draw(frame, players, listTeams(frame, teams));
    yield { canvas, tick, bodies, place: renderer.place };
  }
}

/** @param {RenderJob} job @returns {Map<string, Picture>} by the name that a kind has */
const picturesOf = ({ pictures = [] }) =>
  new Map(pictures.map((raw) => [raw.name, Picture.premultiply(raw)]));

/** @param {import('../../match/replay-log.js').Roster} roster @returns {import('../../web/lib/types.js').Slot[]} */
function slotsOf(roster) {
  return roster.map(({ slot, name, color }) => ({
    slot,
    player: name === null ? null : { id: slot, name, color: color ?? '' },
  }));
}

/**
 * Copies the pixels of a canvas without their alpha.
 * @param {Canvas} canvas
 * @param {Uint8Array} target gets r, g, b of each pixel
 */
export function packRgb({ pixels, width, height }, target) {
  for (let from = 0, to = 0; from < width * height * 4; from += 4, to += 3) {
    target[to] = pixels[from];
    target[to + 1] = pixels[from + 1];
    target[to + 2] = pixels[from + 2];
  }
}

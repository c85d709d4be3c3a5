/** Loads Kick-off as a TV does: from a folder outside of pitv, where it finds `pitv/game` by a link. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUNDLED } from '../../app/packages/catalog.js';
import { linkPitv } from '../../app/packages/link.js';
import { NO_OWNER } from '../../app/game/frame.js';
import { TICK_HZ } from '../../app/game/flow.js';
import { Pads } from '../../bench/scenarios/bots/play.js';
import { temporaryFolder } from '../support/folders.js';

export const FOLDER = join(BUNDLED, 'kick-off');

/** @typedef {import('../../app/game/define.js').Game} Game */
/** @typedef {import('../../bench/scenarios/bots/play.js').Player} Player */
/** @typedef {Awaited<ReturnType<typeof loadKickOff>>} KickOff */

/**
 * Imports a copy of the package, which is deleted after the tests of the file.
 * @returns {Promise<{game: Game, constants: typeof import('../../app/games/kick-off/constants.js')}>}
 */
export async function loadKickOff() {
  const folder = temporaryFolder();
  cpSync(FOLDER, join(folder, 'kick-off'), { recursive: true });
  await linkPitv(folder);
  const load = (/** @type {string} */ file) =>
    import(pathToFileURL(join(folder, 'kick-off', file)).href);
  const [{ default: game }, constants] = [await load('game.js'), await load('constants.js')];
  return { game, constants };
}

/**
 * Starts a match and plays until the ball is live.
 * @param {KickOff} kickOff @param {(Player | undefined)[]} [players] by slot
 * @param {Record<string, number>} [options] of the game
 */
export function startMatch({ game, constants }, players = [], options = {}) {
  const { BALL_RADIUS, CENTRE_Y, LEFT, MODE, RIGHT, SLOTS } = constants;
  const job = game.start({ ...options, seed: 5 });
  const pads = new Pads(SLOTS);
  const { flow } = job;
  const { world, own } = flow;
  const match = {
    job,
    flow,
    world,
    own,
    ball: own.ball[0],
    players,
    step(ticks = 1) {
      for (let i = 0; i < ticks; i++) {
        players.forEach((player, slot) => player && pads.set(slot, player(job, slot, job.tick)));
        job.step(pads.readWord, pads.readSequence);
      }
    },
    /** @param {() => boolean} condition @param {string} what */
    until(condition, what) {
      for (let ticks = 0; !condition(); ticks++) {
        assert.ok(ticks < 200 * TICK_HZ && !job.done, `waited in vain for ${what}`);
        match.step();
      }
    },
    live: () => match.until(() => flow.playing && own.mode[0] === MODE.live, 'the whistle'),
    /** @param {number} x @param {number} y @param {number} [vx] @param {number} [vy] */
    putBall(x, y, vx = 0, vy = 0) {
      [world.x[match.ball], world.y[match.ball]] = [x, y];
      [world.vx[match.ball], world.vy[match.ball]] = [vx, vy];
    },
    /** @param {number} slot @param {number} x @param {number} y */
    putPlayer(slot, x, y) {
      const id = flow.body[slot];
      [world.x[id], world.y[id]] = [x, y];
      [world.vx[id], world.vy[id]] = [0, 0];
    },
    /** Puts the ball into a goal. @param {number} team whose goal it is */
    score(team) {
      match.live();
      own.touch.fill(NO_OWNER);
      match.putBall(team === 0 ? LEFT - BALL_RADIUS - 1 : RIGHT + BALL_RADIUS + 1, CENTRE_Y);
      match.step();
    },
    events() {
      /** @type {number[]} */
      const types = [];
      flow.events.write(
        /** @type {any} */ ({
          event: (/** @type {number} */ _, /** @type {number} */ type) => types.push(type),
        }),
      );
      return types;
    },
  };
  match.live();
  return match;
}

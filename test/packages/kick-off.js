/** Starts matches of Kick-off. */
import { join } from 'node:path';
import { BUNDLED } from '../../app/packages/catalog.js';
import { NO_OWNER } from '../../app/game/frame.js';
import { loadBundled, startMatch as startAny } from '../support/bundled-game.js';

export const FOLDER = join(BUNDLED, 'kick-off');

/** @typedef {Awaited<ReturnType<typeof loadKickOff>>} KickOff */

/**
 * @returns {Promise<{game: import('../support/bundled-game.js').Game,
 *   constants: typeof import('../../app/games/kick-off/constants.js')}>}
 */
export async function loadKickOff() {
  const { default: game } = await loadBundled('kick-off');
  return { game, constants: await loadBundled('kick-off', 'constants.js') };
}

/**
 * Starts a match and plays until the ball is live.
 * @param {KickOff} kickOff @param {Parameters<typeof startAny>[1]} [players]
 * @param {Record<string, number>} [options] of the game
 */
export function startMatch({ game, constants }, players, options) {
  const { BALL_RADIUS, CENTRE_Y, LEFT, MODE, RIGHT } = constants;
  const any = startAny(game, players, options);
  const { flow, world, own } = any;
  const match = {
    ...any,
    ball: own.ball[0],
    live: () => match.until(() => flow.playing && own.mode[0] === MODE.live, 'the whistle'),
    /** @param {number} x @param {number} y @param {number} [vx] @param {number} [vy] */
    putBall(x, y, vx = 0, vy = 0) {
      [world.x[match.ball], world.y[match.ball]] = [x, y];
      [world.vx[match.ball], world.vy[match.ball]] = [vx, vy];
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

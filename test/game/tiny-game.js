/** A small game for the tests of defineGame() and of the flow of a match. */
import { defineGame } from '../../app/game/define.js';
import { SHAPE } from '../../app/game/world.js';
import { startMatch } from '../support/bundled-game.js';

/** Lengths of the phases, ticks. */
export const READY = 60;
export const ROUND_OVER = 120;
export const MATCH_OVER = 180;

export const TEAMS = [
  { name: 'Reds', color: 'red' },
  { name: 'Blues', color: 'blue' },
];

/** @typedef {Partial<import('../../app/game/define.js').GameSpec>} Parts */

/** Defines a game of three slots: balls drift, and each tap of A is a point. @param {Parts} [parts] */
export function tinyGame(parts = {}) {
  return defineGame({
    id: 'tiny',
    title: 'Tiny',
    tagline: '',
    rules: [],
    players: { min: 1, max: 3 },
    controls: { stick: '', a: '', b: '' },
    view: { width: 1600, height: 900, background: '#000000', kinds: [], events: [], extra: [] },
    options: { balls: { default: 5, min: 0, max: 50 } },
    seconds: { ready: READY / 60, roundOver: ROUND_OVER / 60, matchOver: MATCH_OVER / 60 },
    border: 'bounce',
    state: ({ balls }) => ({ rounds: 1, taps: 6, marks: balls }),
    world: ({ balls }) => ({ capacity: balls + 3 }),
    bots: (humans) => Math.max(0, 2 - humans),
    setUpRound(flow) {
      const { world } = flow;
      world.clear();
      flow.alive.fill(0);
      flow.own.rounds[0]++;
      for (let i = 0; i < flow.options.balls; i++) {
        const x = world.random() * 1600;
        world.add({ shape: SHAPE.circle, kind: 0, x, y: 450, vx: 100, vy: 30, radius: 9 });
      }
      for (let slot = 0; slot < 3; slot++) flow.alive[slot] = flow.seated(slot) ? 1 : 0;
    },
    steer(flow) {
      for (let slot = 0; slot < 3; slot++) {
        if (flow.bot[slot]) flow.command(slot, 1, 0, 0);
        flow.own.taps[slot] += flow.tapsA[slot];
        flow.own.taps[slot + 3] += flow.tapsB[slot];
        flow.score[slot] = flow.own.taps[slot];
      }
    },
    settle(flow) {
      if (flow.playing && flow.phaseTicks >= 30) flow.endRound(flow.round >= 2);
    },
    ...parts,
  });
}

/** Starts a match. @param {Parts} [parts] of the game @param {Record<string, unknown>} [options] */
export const start = (parts, options) => startMatch(tinyGame(parts), [], { seed: 3, ...options });

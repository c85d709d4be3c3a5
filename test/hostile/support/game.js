/** A TV on which a screen and two pads play bumper, and what they notice of an attack. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PlayedMatch } from '../../support/played-match.js';
import { now, poll } from '../../support/polling.js';
import { until } from '../../support/tv.js';
import { LimitedTv } from './limited-tv.js';

const BASELINE_MS = 1000;
const INPUT_EVERY_MS = 33;
/** After this time without a frame, the screen counts as frozen, ms. */
const CLOCK_MS = 2000;
/** A match older than this is replaced between attacks, so that no match is over during an attack. */
const MATCH_MS = 30_000;
const PASSWORD = 'the password that attackers guess at';

/**
 * Moves a player in circles. Two of them do not meet.
 * @param {import('../../support/tv.js').Client} pad @param {number} number
 */
function circle(pad, number) {
  let turn = 0;
  return setInterval(() => {
    turn++;
    const angle = turn / 10 + number * Math.PI;
    pad.input(Math.round(100 * Math.cos(angle)), Math.round(100 * Math.sin(angle)));
  }, INPUT_EVERY_MS);
}

export class Game extends PlayedMatch {
  /** Speed of the match without an attack. */
  ticksPerMs = NaN;
  #startedAt = -Infinity;

  /** @param {LimitedTv} tv */
  constructor(tv) {
    super(tv, ['Ann', 'Bob'], circle);
    this.tv = tv;
  }

  /**
   * Starts a TV and a match.
   * @param {string} engine
   * @param {Record<string, number>} [limits] values that replace those of the TV
   */
  static async start(engine, limits) {
    const tv = new LimitedTv(['--engine', engine], limits);
    const game = new Game(tv);
    try {
      await tv.start();
      const body = { password: PASSWORD };
      const { ok, status } = await tv.ask('/api/admin/password', { method: 'POST', body });
      if (!ok) throw new Error(`The password could not be set: status ${status}.`);
      game.open();
      await game.freshMatch();
      if (engine === 'zygote') await until(() => tv.zygoteSettled, 'the rehearsed zygote');
      const start = await game.clock();
      await sleep(BASELINE_MS);
      const end = await game.clock();
      game.ticksPerMs = (end.tick - start.tick) / (end.ms - start.ms);
      return game;
    } catch (error) {
      await game.stop();
      const log = tv.log.slice(-2000);
      throw new Error(`The match did not start. The TV's log ends with:\n${log}`, { cause: error });
    }
  }

  /** Starts a match if none is on, and a new one if the match is old. */
  async freshMatch() {
    if (this.match !== 0 && performance.now() - this.#startedAt < MATCH_MS) return;
    await this.play('bumper');
    this.#startedAt = performance.now();
    this.begin();
  }

  /**
   * Waits for the next frame.
   * @returns {Promise<{tick: number, ms: number}>} its tick, and when it came; the same tick for a screen without
   *   frames
   */
  async clock() {
    const seen = this.frames.at(-1);
    await poll(() => this.frames.at(-1) !== seen, CLOCK_MS, 1);
    return { tick: this.frames.at(-1)?.tick ?? 0, ms: now() };
  }

  /** Returns the longest time without a frame, ms. @param {number} since ms */
  longestGapMs(since) {
    const times = this.frames.map(({ at }) => at).filter((at) => at > since);
    const ends = [...times, now()];
    return Math.max(...ends.map((at, i) => at - (times[i - 1] ?? since)));
  }

  /** @returns {string[]} what has gone wrong, as sentences */
  get faults() {
    const lost = this.events.filter(({ kind }) => kind === 'lost');
    const faults = lost.map(({ about }) => `${about} lost its connection`);
    if (this.has('ended')) faults.push('the match has ended');
    if (this.has('restart')) faults.push('the worker of the match was replaced');
    return faults;
  }

  async stop() {
    await this.close();
    await this.tv.stop();
  }
}

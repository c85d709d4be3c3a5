/** A TV with the memory and descriptors of a small computer, on which a screen and two pads play bumper. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PlayedMatch } from '../support/played-match.js';
import { now, poll } from '../support/polling.js';
import { until } from '../support/tv.js';
import { TvUnderTest } from '../support/tv-under-test.js';

export const MEMORY_MIB = 256;
export const DESCRIPTORS = 1024;
/**
 * A start that takes long leaves a match behind whose stop message came too early. It ends when it has had no connected
 * player, or no screen that watched it, for this time instead of a minute, ms.
 */
const LIMITS = { emptyMatch: 2000, unwatchedMatch: 2000 };
const BASELINE_MS = 1000;
const INPUT_EVERY_MS = 33;
/** After this time without a frame, the screen counts as frozen, ms. */
const CLOCK_MS = 2000;
/** A match older than this is replaced between attacks, so that no match is over during an attack. */
const MATCH_MS = 30_000;
const PASSWORD = 'the password that attackers guess at';

/**
 * Moves a player in circles. Two of them do not meet.
 * @param {import('../support/tv.js').Client} pad @param {number} number
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

  /** @param {TvUnderTest} tv */
  constructor(tv) {
    super(tv, ['Ann', 'Bob'], circle);
    this.tv = tv;
  }

  /** Starts a TV and a match. @param {string} engine */
  static async start(engine) {
    const tv = new TvUnderTest({
      // By itself the TV would count the group's page cache as memory in use, and allow fewer matches.
      args: ['--udp', '0', '--max-matches', '8', '--engine', engine],
      limits: LIMITS,
      controllers: ['memory'],
      descriptors: DESCRIPTORS,
    });
    tv.groups.get('memory')?.limit(MEMORY_MIB * 1024 * 1024);
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

  async stop() {
    await this.close();
    await this.tv.stop();
  }
}

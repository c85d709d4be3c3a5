/** A TV on which a screen and two pads play bumper, and what they notice of an attack. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeHeader } from '../../../app/game/frame.js';
import { Client, until } from '../../support/tv.js';
import { LimitedTv } from './limited-tv.js';

const BASELINE_MS = 1000;
const INPUT_EVERY_MS = 33;
/** After this time without a frame, the screen counts as frozen, ms. */
const CLOCK_MS = 2000;
/** A match older than this is replaced between attacks, so that no match is over during an attack. */
const MATCH_MS = 30_000;
const PASSWORD = 'the password that attackers guess at';

export class Game {
  /** Speed of the match without an attack. */
  ticksPerMs = NaN;
  #startedAt = -Infinity;
  #turn = 0;
  #lastFrameAt = performance.now();
  #longestGapMs = 0;
  #inputs;

  /** @param {LimitedTv} tv @param {Client} screen @param {Client[]} pads */
  constructor(tv, screen, pads) {
    this.tv = tv;
    this.screen = screen;
    this.pads = pads;
    screen.socket.on('message', (_data, isBinary) => {
      if (!isBinary) return;
      const now = performance.now();
      this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#lastFrameAt);
      this.#lastFrameAt = now;
    });
    this.#inputs = setInterval(() => this.#steer(), INPUT_EVERY_MS);
  }

  /**
   * Starts a TV and a match.
   * @param {string} engine
   * @param {Record<string, number>} [limits] values that replace those of the TV
   */
  static async start(engine, limits) {
    const tv = new LimitedTv(['--engine', engine], limits);
    try {
      await tv.start();
      const body = { password: PASSWORD };
      const { ok, status } = await tv.ask('/api/admin/password', { method: 'POST', body });
      if (!ok) throw new Error(`The password could not be set: status ${status}.`);
      const screen = await Client.screen(tv);
      const ann = await Client.pad(tv, { name: 'Ann' });
      const bob = await Client.pad(tv, { name: 'Bob' });
      const game = new Game(tv, screen, [ann, bob]);
      await game.freshMatch();
      if (engine === 'zygote') await until(() => tv.zygoteSettled, 'the rehearsed zygote');
      const start = await game.clock();
      await sleep(BASELINE_MS);
      const end = await game.clock();
      game.ticksPerMs = (end.tick - start.tick) / (end.ms - start.ms);
      return game;
    } catch (error) {
      await tv.stop();
      const log = tv.log.slice(-2000);
      throw new Error(`The match did not start. The TV's log ends with:\n${log}`, { cause: error });
    }
  }

  /** Starts a match if none is on, and a new one if the match is old. */
  async freshMatch() {
    const [ann] = this.pads;
    const over = ann.messages.some(({ t }) => t === 'ended');
    if (!over && performance.now() - this.#startedAt < MATCH_MS) return;
    if (!over && this.#startedAt > 0) {
      ann.send({ t: 'stop' });
      await ann.next('ended');
    }
    for (const { messages } of this.pads) messages.length = 0;
    ann.send({ t: 'start', game: 'bumper' });
    const { match } = await ann.next('match');
    this.screen.send({ t: 'watch', match });
    await this.screen.until(() => this.#header()?.match === match, 'frames of the new match');
    this.#startedAt = performance.now();
    this.mark();
  }

  #header() {
    return this.screen.frame && decodeHeader(this.screen.frame);
  }

  #steer() {
    this.#turn++;
    for (const [i, pad] of this.pads.entries()) {
      if (pad.closed) continue;
      const angle = this.#turn / 10 + i * Math.PI;
      pad.input(Math.round(100 * Math.cos(angle)), Math.round(100 * Math.sin(angle)));
    }
  }

  /**
   * Waits for the next frame.
   * @returns {Promise<{tick: number, ms: number}>} its tick, and when it came; the same tick for a screen without
   *   frames
   */
  async clock() {
    const { screen } = this;
    const seen = screen.frames;
    const deadline = performance.now() + CLOCK_MS;
    while (screen.frames === seen && performance.now() < deadline) await sleep(1);
    return { tick: this.#header()?.tick ?? 0, ms: performance.now() };
  }

  /** Forgets the gaps between frames so far. */
  mark() {
    this.#longestGapMs = 0;
    this.#lastFrameAt = performance.now();
  }

  /** The longest time without a frame since mark(), ms. */
  get longestGapMs() {
    return Math.max(this.#longestGapMs, performance.now() - this.#lastFrameAt);
  }

  /** @returns {string[]} what has gone wrong, as sentences */
  get faults() {
    const names = ['the screen', 'the pad of Ann', 'the pad of Bob'];
    const lost = [this.screen, ...this.pads].flatMap(({ closed }, i) =>
      closed ? [`${names[i]} lost its connection`] : [],
    );
    const told = new Set(this.pads[0].messages.map(({ t }) => t));
    if (told.has('ended')) lost.push('the match has ended');
    if (told.has('notice')) lost.push('the worker of the match was replaced');
    return lost;
  }

  async stop() {
    clearInterval(this.#inputs);
    for (const client of [this.screen, ...this.pads]) client.vanish();
    await this.tv.stop();
  }
}

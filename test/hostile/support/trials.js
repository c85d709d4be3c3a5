/** Runs attacks one after another with one engine; a TV that broke a rule is replaced before the next one. */
import { setPriority } from 'node:os';
import { Game } from './game.js';
import { tryAttack } from './trial.js';

export class Trials {
  /** @type {Game | undefined} */
  #game;
  #addressGroup = 0;

  /** @param {string} engine */
  constructor(engine) {
    this.engine = engine;
    try {
      setPriority(-10); // of the TV and its players: higher than other programs and the attackers
    } catch {
      // Only root may do that. Otherwise other programs take part of the TV's time.
    }
  }

  /** Returns new addresses for an attack: limits that an earlier attack reached do not apply to it. */
  #freshAddresses() {
    this.#addressGroup++;
    return [1, 2, 3, 4].map((host) => `127.0.${10 + this.#addressGroup}.${host}`);
  }

  /**
   * Runs an attack.
   * @param {string} key @param {Parameters<typeof tryAttack>[0]['attack']} attack
   * @param {number} seconds longest time
   */
  async run(key, attack, seconds) {
    const game = (this.#game ??= await Game.start(this.engine));
    let held = false;
    try {
      const addresses = this.#freshAddresses();
      const figures = await tryAttack({ key, attack, addresses, seconds, game });
      held = figures.broken.length === 0;
      return figures;
    } finally {
      if (!held) {
        this.#game = undefined;
        await game.stop();
      }
    }
  }

  async close() {
    await this.#game?.stop();
  }
}

/** Passes the sticks of phones without a match on to the screens that show the lobby, which roll a ball for each. */

/** Screens get the changes of this time as one message. */
const INTERVAL_MS = 50;

export class Practice {
  /** Those moved since the last message, by player. @type {Map<number, {player: number, x: number, y: number}>} */
  #sticks = new Map();

  /** @param {() => import('./screens.js').Screen[]} screens returns those that show the lobby */
  constructor(screens) {
    this.screens = screens;
  }

  /** Tells whether a player can practise. @param {import('../match/seats.js').Player} player */
  admits({ match }) {
    return !match && this.screens().length > 0;
  }

  /** Moves a player's stick. @param {number} player id @param {number} x -127..127 @param {number} y -127..127 */
  move(player, x, y) {
    if (this.#sticks.size === 0) setTimeout(() => this.#send(), INTERVAL_MS).unref();
    this.#sticks.set(player, { player, x, y });
  }

  #send() {
    const message = { t: 'sticks', sticks: [...this.#sticks.values()] };
    for (const { connection } of this.screens()) connection.send(message);
    this.#sticks.clear();
  }
}

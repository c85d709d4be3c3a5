/** Finds phones that do not answer, long before their connections end, and marks their players as away. */

/** Phones are pinged at this interval. */
const PING_MS = 400;
/** The player of one from which nothing has come for this time, not even an answer, is away. */
const SILENT_MS = 1000;

/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('../lobby/players.js').Player} Player */

export class Presence {
  #players;
  #pads;
  /** @type {Set<Connection>} */
  #silent = new Set();
  #checkedAt = performance.now();
  #timer = setInterval(() => this.#check(), PING_MS).unref();

  /** @param {import('../lobby/lobby.js').Lobby} lobby @param {Map<Connection, {player: Player}>} pads a live map */
  constructor({ players }, pads) {
    this.#players = players;
    this.#pads = pads;
  }

  #check() {
    const now = performance.now();
    const isLate = now - this.#checkedAt > 2 * PING_MS; // answers may wait to be read
    this.#checkedAt = now;
    for (const connection of this.#silent) {
      if (!this.#pads.has(connection)) this.#silent.delete(connection);
    }
    for (const [connection, { player }] of this.#pads) {
      const silence = Math.min(connection.unansweredMs(now), now - connection.heardAt);
      const isSilent = silence > SILENT_MS;
      if (!isSilent) this.heard(connection, player);
      else if (!isLate && !this.#silent.has(connection)) {
        this.#silent.add(connection);
        this.leave(player);
      }
      connection.ping(now);
    }
  }

  /** Marks a player as back, before an input is written. @param {Connection} connection @param {Player} player */
  heard(connection, player) {
    if (this.#silent.size === 0 || !this.#silent.delete(connection)) return;
    if (player.home !== undefined) return;
    this.#players.connect(player);
    player.match?.reconnect(player);
  }

  /** Marks a player as away, unless the phone has moved to another TV. @param {Player} player */
  leave(player) {
    if (player.home !== undefined) return;
    this.#players.disconnect(player);
    player.match?.disconnect(player);
  }

  close() {
    clearInterval(this.#timer);
  }
}

/** Players who wait for a seat: the match is full, or their phone is away. The first who is there gets a free seat. */

/** @typedef {import('../match/match.js').Match} Match */
/** @typedef {import('./players.js').Player} Player */

export class WaitingLines {
  #lobby;
  /** @type {Map<Match, Set<Player>>} */
  #lines = new Map();
  /** Those who are being moved to a seat. @type {Set<Player>} */
  #joining = new Set();
  /** Those whose match has ended before they got a seat. They are the first in the next one. @type {Set<Player>} */
  missed = new Set();

  /** @param {import('./lobby.js').Lobby} lobby */
  constructor(lobby) {
    this.#lobby = lobby;
    lobby.on('slots', (match) => {
      for (const player of match.players) this.leave(player);
      this.#serve(match);
    });
    lobby.on('ended', (match) => {
      for (const player of this.#lineOf(match)) this.missed.add(player);
      this.#lines.delete(match);
    });
    lobby.players.on('gone', (player) => this.leave(player));
    lobby.players.on('change', () => {
      for (const match of this.#lines.keys()) this.#serve(match); // somebody may be back
    });
  }

  /** Lets a player wait for a match, and for no other one. @param {Player} player @param {Match} match */
  join(player, match) {
    this.leave(player);
    const line = this.#lines.get(match) ?? new Set();
    this.#lines.set(match, line.add(player));
    this.#serve(match);
    this.#lobby.emit('change');
  }

  /** @param {Player} player */
  leave(player) {
    this.missed.delete(player);
    for (const line of this.#lines.values()) {
      if (line.delete(player)) this.#lobby.emit('change');
    }
  }

  /** Returns a player's place in a line. @param {Player} player @param {Match} match @returns {number} 0: none */
  placeOf(player, match) {
    return [...this.#lineOf(match)].indexOf(player) + 1;
  }

  /** @param {Match} match */
  #lineOf(match) {
    return this.#lines.get(match) ?? new Set();
  }

  /**
   * Gives free seats to those who wait. Phones that do not answer keep their place, and so does who finds the seat
   * taken: each TV of a fleet has a line.
   * @param {Match} match
   */
  #serve(match) {
    const isReady = (/** @type {Player} */ player) =>
      player.connected && !this.#joining.has(player);
    const next = [...this.#lineOf(match)].find(isReady);
    if (!next || !match.open) return;
    this.#joining.add(next);
    const done = () => void this.#joining.delete(next);
    void this.#lobby.join(next, match.id).then(done, done);
  }
}

/** Players who are away when a game of a party begins. They get a seat as soon as they are back. */

/** @typedef {import('../match/match.js').Match} Match */

export class Absentees {
  #lobby;
  /** Ids of players. @type {Set<number>} */
  #away = new Set();
  /** @type {Match | undefined} */
  #match;

  /** @param {import('./lobby.js').Lobby} lobby */
  constructor(lobby) {
    this.#lobby = lobby;
    lobby.players.on('change', () => this.#seat());
  }

  /** Notes who is away now. */
  note() {
    const absent = this.#lobby.players.all.filter(({ connected }) => !connected);
    this.#away = new Set(absent.map(({ id }) => id));
    this.#match = undefined;
  }

  /** Gives those who were noted a seat when they are back. @param {Match} match that has begun */
  seatIn(match) {
    this.#match = match;
    this.#seat();
  }

  #seat() {
    const match = this.#match;
    if (!match || match.end) return;
    for (const id of this.#away) {
      const player = this.#lobby.players.get(id);
      if (player && !player.connected) continue;
      this.#away.delete(id);
      if (!player || player.match) continue;
      void this.#lobby.join(player, match.id).catch(() => {}); // the seats are taken
    }
  }
}

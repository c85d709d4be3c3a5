/**
 * The players of all nodes. A player belongs to the node that the phone is or was connected to, and that node tells the
 * others about it. When a node is dead, the first of the living ones takes charge of its players.
 */
import { isSavedPlayer } from '../storage/people-file.js';
import { isNodeName } from './wire.js';

/** Tells whether a value is the state of a player. @param {string} key @param {any} state */
export const isPlayerState = (key, state) =>
  isSavedPlayer(state) &&
  key === String(state.id) &&
  typeof state.connected === 'boolean' &&
  isNodeName(state.home);

export class FleetPlayers {
  #node;
  #players;
  #tables;
  #merging = false;

  /** @param {import('./fleet.js').Fleet} fleet whose TV has restored its own players */
  constructor({ node, lobby: { players }, tables }) {
    this.#node = node;
    this.#players = players;
    this.#tables = tables;
    for (const [key, state] of tables.entries('players')) this.#merge(key, state);
    tables.on('players', (key, state) => this.#merge(key, state));
    players.on('change', () => this.#tell());
    players.on('gone', ({ id }) => {
      if (!this.#merging) tables.delete('players', String(id));
    });
    this.#tell();
  }

  /** Tells the others what has changed about the players of this node. */
  #tell() {
    if (this.#merging) return;
    for (const { id, name, color, tokenHash, lastGame, connected, home } of this.#players.all) {
      if (home !== undefined) continue;
      const hash = tokenHash.toString('hex');
      const state = { id, name, color, tokenHash: hash, lastGame, connected, home: this.#node };
      this.#tables.tell('players', String(id), state);
    }
  }

  /** @param {string} key @param {any} state undefined: the player was removed */
  #merge(key, state) {
    const known = this.#players.get(Number(key));
    this.#merging = true;
    try {
      if (state === undefined) {
        if (known) this.#players.remove(known);
        return;
      }
      // The phone is here; the other node was wrong.
      if (known?.connected && known.home === undefined && !state.connected) return;
      if (state.home === this.#node) {
        // This node has told it before it was started again.
        if (!known) this.#players.adopt(this.#players.merge(state).player);
        return;
      }
      const { player, wasConnected } = this.#players.merge(state);
      if (!player.match || player.connected === wasConnected) return;
      if (player.connected) player.match.reconnect(player);
      else player.match.disconnect(player);
    } finally {
      this.#merging = false;
      this.#tell();
    }
  }

  /** Takes charge of the players of dead nodes. @param {(node: string) => boolean} isDead */
  adoptFrom(isDead) {
    for (const player of this.#players.all) {
      if (player.home === undefined || !isDead(player.home)) continue;
      this.#players.adopt(player);
      player.match?.disconnect(player);
    }
  }
}

/** What phones say and what they are told. */
import { PitvError } from '../errors.js';
import { clientKey } from '../limits/client-key.js';
import { CLOSE } from './connection.js';
import { HudFeed } from './hud-feed.js';
import { PadState } from './messages.js';

/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('../match/match.js').Match} Match */
/** @typedef {import('../lobby/players.js').Player} Player */

/**
 * @typedef {object} Pad
 * @property {Player} player
 * @property {PadState} state
 * @property {Match | undefined} told the match that this phone was told it is in
 * @property {string} lobbyText
 * @property {NodeJS.Timeout | undefined} lateTimer
 */

/** After a flood the last state is passed on: a stick that was let go must not stay pushed. */
const LATE_INPUT_MS = 50;

export class Pads {
  /** @type {Map<Connection, Pad>} */
  #pads = new Map();
  /** @type {Map<Player, Connection>} */
  #connections = new Map();
  /** @type {Map<Match, HudFeed>} */
  #feeds = new Map();

  /** @param {Pick<import('./hub.js').HubServices, 'lobby' | 'latency' | 'counters' | 'udp'>} services */
  constructor({ lobby, latency, counters, udp }) {
    this.lobby = lobby;
    this.latency = latency;
    this.counters = counters;
    this.udp = udp;
    lobby.on('started', (match) => this.#tellMatch(match));
    lobby.on('slots', (match) => {
      this.#feeds.get(match)?.forget();
      if (match.running) this.#tellMatch(match);
    });
    lobby.on('restart', (match) => this.#feeds.get(match)?.rewind());
    lobby.on('ended', (match, end, players) => this.#tellEnd(match, end, players));
    lobby.players.on('gone', (player) => {
      this.#connections.get(player)?.close(CLOSE.removed, 'this player was removed');
    });
  }

  get count() {
    return this.#pads.size;
  }

  /**
   * @param {Connection} connection
   * @param {Record<string, unknown>} message hello
   * @throws {PitvError} PITV_CODE_WRONG, PITV_CODE_LOCKED, PITV_PLAYERS_ADDRESS, PITV_PLAYERS_FULL
   */
  hello(connection, message) {
    const { players, code } = this.lobby;
    const known = players.find(message.token);
    let token = message.token;
    let player = known;
    if (player) {
      const old = this.#connections.get(player);
      if (old) {
        this.#forget(old);
        old.close(CLOSE.replaced, 'this player is connected from somewhere else now');
      }
      players.connect(player);
    } else {
      code.check(message.code, connection.address);
      ({ player, token } = players.add(message.name, clientKey(connection.address)));
    }
    /** @type {Pad} */
    const pad = {
      player,
      state: new PadState(),
      told: undefined,
      lobbyText: '',
      lateTimer: undefined,
    };
    this.#pads.set(connection, pad);
    this.#connections.set(player, connection);
    const { id, name, color } = player;
    connection.send({
      t: 'welcome',
      role: 'pad',
      token,
      player: { id, name, color },
      resumed: known !== undefined,
    });
    this.#tellLobby(connection, pad);
    const { match } = player;
    if (!match) return;
    match.reconnect(player);
    if (match.running) this.#tell(connection, pad, match);
    this.#feeds.get(match)?.forget();
  }

  /**
   * @param {Connection} connection
   * @param {{t: string} & Record<string, unknown>} message
   * @returns {Promise<void> | void} rejects or throws a PitvError for what cannot be done
   */
  text(connection, message) {
    const { lobby } = this;
    const { player } = /** @type {Pad} */ (this.#pads.get(connection));
    switch (message.t) {
      case 'start':
        return this.#start(connection, player, message.game);
      case 'again':
        return this.#start(connection, player, player.lastGame ?? lobby.games[0]?.id);
      case 'join':
        lobby.join(player, message.match);
        return undefined;
      case 'leave':
        return lobby.leave(player);
      case 'name':
        return lobby.players.rename(player, message.name);
      case 'udp': {
        if (!this.udp) {
          throw new PitvError('PITV_UDP_OFF', 'This TV takes no datagrams. Start it with --udp.');
        }
        return connection.send({ t: 'udp', ...this.udp.give(player) });
      }
      case 'stop': {
        const { match } = player;
        if (match?.owner !== ownerOf(player)) {
          throw new PitvError('PITV_NOT_YOURS', 'Only who started a match may stop it.');
        }
        return match.stop();
      }
      default:
        throw new PitvError('PITV_MESSAGE_INVALID', 'A pad does not send such a message.');
    }
  }

  /** @param {Connection} connection @param {Player} player @param {unknown} game */
  async #start(connection, player, game) {
    if (player.match) return; // two phones pressed at once: the other one was first
    if (this.lobby.game(game).players.max === 0) {
      throw new PitvError('PITV_GAME_UNKNOWN', 'That is no game for phones.');
    }
    await this.lobby.start(game, {
      owner: ownerOf(player),
      client: clientKey(connection.address),
      first: player,
    });
  }

  /**
   * The hot path.
   * @param {Connection} connection @param {Buffer} data
   * @param {number} at ms, arrival
   */
  binary(connection, data, at) {
    const pad = /** @type {Pad} */ (this.#pads.get(connection));
    if (!pad.state.read(data)) return connection.drop('bad-input');
    if (connection.inputs.take(at)) return this.#pass(pad, at);
    pad.lateTimer ??= setTimeout(() => {
      pad.lateTimer = undefined;
      this.#pass(pad, performance.now());
    }, LATE_INPUT_MS);
    return connection.drop('input-flood');
  }

  /** @param {Pad} pad whose state goes to its match @param {number} at ms, arrival */
  #pass({ player, state }, at) {
    const { match } = player;
    if (this.udp?.speaks(player)) return this.counters.dropped('input-beside-udp');
    const slot = match ? match.seats.slotOf(player) : -1;
    if (!match || slot < 0) return this.counters.dropped('input-without-match');
    const { x, y, buttons } = state;
    const sequence = match.seats.input(slot, x, y, buttons, ...state.takeTaps());
    if (sequence > 0) this.latency.arrived(match, slot, sequence, at);
    return undefined;
  }

  /** @param {Connection} connection */
  closed(connection) {
    const player = this.#forget(connection);
    if (!player) return;
    this.lobby.players.disconnect(player);
    player.match?.disconnect(player);
  }

  /** @param {Connection} connection @returns {Player | undefined} whose pad it was */
  #forget(connection) {
    const pad = this.#pads.get(connection);
    if (!pad) return undefined;
    clearTimeout(pad.lateTimer);
    this.udp?.take(pad.player);
    this.#pads.delete(connection);
    this.#connections.delete(pad.player);
    return pad.player;
  }

  // What phones are told.

  /** @param {Match} match @param {Uint8Array} bytes a frame @param {number} now ms */
  frame(match, bytes, now) {
    let feed = this.#feeds.get(match);
    if (!feed) {
      feed = new HudFeed(match.game.view.events, (slot, text) => {
        const player = match.seats.playerAt(slot);
        if (player) this.#connections.get(player)?.sendText(text);
      });
      this.#feeds.set(match, feed);
    }
    feed.frame(bytes, now);
  }

  tellLobby() {
    for (const [connection, pad] of this.#pads) this.#tellLobby(connection, pad);
  }

  /** @param {Connection} connection @param {Pad} pad */
  #tellLobby(connection, pad) {
    const { lobby } = this;
    if (pad.player.match === undefined) pad.told = undefined;
    const text = JSON.stringify({
      t: 'lobby',
      games: lobby.games
        .filter((game) => game.players.max > 0)
        .map(({ id, title, players }) => ({ id, title, players })),
      matches: lobby.matches
        .filter((match) => match.game.players.max > 0)
        .map(({ id, game, open }) => ({ id, title: game.title, open })),
      players: lobby.players.all.length,
      me: { match: pad.player.match?.id ?? null, name: pad.player.name, color: pad.player.color },
    });
    if (text === pad.lobbyText) return;
    pad.lobbyText = text;
    connection.sendText(text);
  }

  /** @param {Match} match */
  #tellMatch(match) {
    for (const player of match.players) {
      const connection = this.#connections.get(player);
      const pad = connection && this.#pads.get(connection);
      if (pad && pad.told !== match) this.#tell(connection, pad, match);
    }
  }

  /** @param {Connection} connection @param {Pad} pad @param {Match} match */
  #tell(connection, pad, match) {
    pad.told = match;
    connection.send({
      t: 'match',
      match: match.id,
      game: match.game.id,
      title: match.game.title,
      controls: match.game.controls,
      slot: match.seats.slotOf(pad.player),
    });
  }

  /**
   * @param {Match} match @param {import('../match/match.js').End} end
   * @param {Player[]} players who were in it
   */
  #tellEnd(match, end, players) {
    this.#feeds.delete(match);
    for (const player of players) {
      const connection = this.#connections.get(player);
      const pad = connection && this.#pads.get(connection);
      if (!pad || pad.told !== match) continue;
      pad.told = undefined;
      connection.send({ t: 'ended', match: match.id, ...end });
    }
  }

  /** @param {Match} match @param {object} message to all phones in it */
  tellPlayers(match, message) {
    for (const player of match.players) this.#connections.get(player)?.send(message);
  }
}

/** @param {Player} player */
const ownerOf = (player) => `player:${player.id}`;

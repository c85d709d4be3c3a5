/** Handles the messages of pads, and sends them lobby, match and HUD messages. */
import { PitvError } from '../errors.js';
import { planGames } from '../lobby/party-rules.js';
import { CLOSE } from './connection.js';
import { HudFeed } from './hud-feed.js';
import { PadState } from './messages.js';
import { matchMessage, ownerOf, padLobby } from './client-messages.js';
import { Presence } from './presence.js';

/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('../match/match.js').Match} Match */
/** @typedef {import('../lobby/players.js').Player} Player */

/**
 * @typedef {object} Pad
 * @property {Connection} connection @property {Player} player @property {PadState} state
 * @property {Match} [sentMatch] the match of the last `match` message; undefined after its end
 * @property {NodeJS.Timeout} [lateTimer]
 */

/** Time after which the last state of a pad beyond its rate is written: a released stick does not stay pushed. */
const LATE_INPUT_MS = 50;

export class Pads {
  /** @type {Map<Connection, Pad>} */
  #pads = new Map();
  /** @type {Map<Player, Pad>} */
  #byPlayer = new Map();
  /** @type {Map<Match, HudFeed>} */
  #feeds = new Map();
  /** The message at the end of the last match of each player. @type {WeakMap<Player, object & {match: number}>} */
  #ends = new WeakMap();
  #presence;

  /**
   * @param {Pick<import('./hub.js').HubServices, 'lobby' | 'party' | 'records' | 'counters' | 'udp' |
   *   'home'>} services
   * @param {object} screens what the pads need of them @param {import('./pauses.js').Pauses} screens.pauses
   * @param {import('./practice.js').Practice} screens.practice
   * @param {(match: Match) => boolean} screens.isShown tells whether one shows a match
   */
  constructor(services, { pauses, practice, isShown }) {
    const { lobby } = services;
    this.services = services;
    this.lobby = lobby;
    this.pauses = pauses;
    this.practice = practice;
    this.isShown = isShown;
    this.#presence = new Presence(lobby, this.#pads);
    lobby.on('started', (match) => this.#sendMatchToPlayers(match));
    lobby.on('slots', (match) => {
      this.#feeds.get(match)?.forget();
      if (match.running) this.#sendMatchToPlayers(match);
    });
    lobby.on('game', (match) => {
      this.#feeds.delete(match);
      this.#sendMatchToPlayers(match, true);
    });
    lobby.on('ended', (match, end, players) => this.#sendEnd(match, end, players));
    lobby.players.on('gone', (player) => {
      this.#byPlayer.get(player)?.connection.socket.close(CLOSE.removed, 'this player was removed');
    });
  }

  get count() {
    return this.#pads.size;
  }

  /**
   * Handles a hello: recognises the player by token, or adds a player if the code is right. A phone that still shows a
   * match has its result, if it has ended meanwhile.
   * @param {Connection} connection @param {Record<string, unknown>} message
   * @throws {PitvError} PITV_CODE_WRONG, PITV_CODE_LOCKED, PITV_PLAYERS_ADDRESS, PITV_PLAYERS_FULL
   */
  hello(connection, message) {
    const { players, code } = this.lobby;
    const known = players.find(message.token);
    let token = message.token;
    let player = known;
    if (player) {
      const old = this.#byPlayer.get(player)?.connection;
      if (old) {
        this.#forget(old);
        old.socket.close(CLOSE.replaced, 'this player has connected from another page');
      }
      players.connect(player);
    } else {
      code.check(message.code, connection.address);
      const past = this.services.records.recall(token);
      ({ player, token } = players.add(message.name, connection.client, message.word, past));
    }
    /** @type {Pad} */
    const pad = { connection, player, state: new PadState() };
    this.#pads.set(connection, pad);
    this.#byPlayer.set(player, pad);
    const { id, name, color, match } = player;
    const about = { token, player: { id, name, color }, resumed: known !== undefined };
    connection.send({ t: 'welcome', role: 'pad', ...about });
    const end = this.#ends.get(player);
    if (end && end.match === message.match) connection.send(end); // before the lobby, which says that it is over
    this.#sendLobbyTo(pad);
    if (!match) return;
    match.reconnect(player);
    if (match.running && pad.sentMatch !== match) this.#sendMatch(pad, match);
    const frame = match.paused && match.worker.lastFrame;
    if (frame?.length) this.frame(match, frame, performance.now());
  }

  /**
   * Handles a text message.
   * @param {Connection} connection @param {{t: string} & Record<string, unknown>} message
   * @returns {Promise<unknown> | void} rejects or throws with a PitvError if the request is refused
   */
  handleText(connection, message) {
    const { lobby, party, udp } = this.services;
    const { player } = /** @type {Pad} */ (this.#pads.get(connection));
    switch (message.t) {
      case 'start':
        return this.#start(connection, player, message.game);
      case 'again':
        return this.#start(connection, player, this.#gameAgain(player));
      case 'party':
        return this.#startParty(connection, player, message.games);
      case 'end-party':
        return party.stop(ownerOf(player));
      case 'join':
        return lobby.join(player, message.match);
      case 'hold':
        return this.pauses.hold(lobby.ready, player, connection.client);
      case 'leave':
        return lobby.leave(player);
      case 'wait':
        if (message.match === null || player.match) return lobby.waiting.leave(player);
        return lobby.waiting.join(player, lobby.match(message.match));
      case 'name':
        return lobby.players.rename(player, message.name);
      case 'udp': {
        const sentence = 'This TV does not accept datagrams. Start it with --udp.';
        if (!udp) throw new PitvError('PITV_UDP_OFF', sentence);
        return connection.send({ t: 'udp', ...udp.issueKey(player) });
      }
      case 'pause': {
        if (!player.match) throw new PitvError('PITV_MATCH_UNKNOWN', 'You are in no match.');
        const who = { by: player.name, client: connection.client };
        return this.pauses.set(player.match, message.on === true, who);
      }
      case 'stop': {
        const match = message.match === undefined ? player.match : lobby.match(message.match);
        const isStarter = match?.owner === ownerOf(player);
        if (isStarter || (player.match === match && match?.paused)) return match?.stop();
        const sentence =
          'Only the player who started a match may stop it, and its players while it is paused.';
        throw new PitvError('PITV_NOT_YOURS', sentence);
      }
      default:
        throw new PitvError('PITV_MESSAGE_INVALID', 'Pads cannot send messages of this type.');
    }
  }

  /** @param {Connection} connection @param {Player} player @param {unknown} game */
  async #start({ client }, player, game) {
    if (player.match) return; // another phone started a match at the same time
    if (this.services.party.isBetweenGames) return this.services.party.next();
    const { id, players } = this.lobby.game(game);
    if (players.max === 0) throw new PitvError('PITV_GAME_UNKNOWN', 'This game has no players.');
    if (!(await this.#isReady(player, id))) return;
    await this.lobby.start(id, { first: player, owner: ownerOf(player), client });
  }

  /** @param {Connection} connection @param {Player} player @param {unknown} games number of games */
  async #startParty({ client }, player, games) {
    const { party } = this.services;
    const [first] = planGames(this.lobby.offered, games);
    const isRunning = party.progress !== null && party.progress.phase !== 'over'; // start() says so
    if (!isRunning && !(await this.#isReady(player, first))) return;
    await party.start({ games, first, owner: ownerOf(player), client });
  }

  /** Waits until a phone may start a game, see ReadyCheck. @param {Player} player @param {string} game id */
  #isReady(player, game) {
    const { ready, venue, games } = this.lobby;
    venue.admit(this.lobby.game(game), games); // nobody waits for a match that cannot start
    return ready.wait(game, player);
  }

  /** Returns the last game of a player if it is offered, else the first one. @param {Player} player */
  #gameAgain({ lastGame }) {
    const { offered } = this.lobby;
    return (offered.find(({ id }) => id === lastGame) ?? offered[0])?.id;
  }

  /** Handles an input, the hot path. @param {Connection} connection @param {Buffer} data @param {number} at ms */
  handleInput(connection, data, at) {
    const pad = /** @type {Pad} */ (this.#pads.get(connection));
    if (!pad.state.read(data)) return connection.dropMessage('bad-input');
    this.#presence.heard(connection, pad.player);
    if (connection.inputs.take(at)) return this.#writeInput(pad, at);
    pad.lateTimer ??= setTimeout(() => {
      pad.lateTimer = undefined;
      this.#writeInput(pad, performance.now());
    }, LATE_INPUT_MS);
    return connection.dropMessage('input-flood');
  }

  /** Writes the state of a pad to the mailbox of its match. @param {Pad} pad @param {number} at time of arrival, ms */
  #writeInput({ player, state }, at) {
    const { match } = player;
    const { counters, udp } = this.services;
    const taps = state.takeTaps(); // also those that count in no match
    if (udp?.isActive(player)) return counters.dropped('input-beside-udp');
    if (this.practice.admits(player)) return this.practice.move(player.id, state.x, state.y);
    const slot = match ? match.seats.slotOf(player) : -1;
    if (!match || slot < 0) return counters.dropped('input-without-match');
    const { x, y, buttons } = state;
    const sequence = match.seats.input(slot, x, y, buttons, ...taps);
    match.worker.sendInputs();
    if (sequence > 0) counters.latency.recordInput(match, slot, sequence, at);
    return undefined;
  }

  /** Handles the end of a connection. @param {Connection} connection */
  closed(connection) {
    const player = this.#forget(connection);
    if (player) this.#presence.leave(player);
  }

  close() {
    this.#presence.close();
  }

  /** Removes the pad of a connection. @param {Connection} connection @returns {Player | undefined} its player */
  #forget(connection) {
    const pad = this.#pads.get(connection);
    if (!pad) return undefined;
    clearTimeout(pad.lateTimer);
    this.services.udp?.revokeKey(pad.player);
    this.#pads.delete(connection);
    this.#byPlayer.delete(pad.player);
    return pad.player;
  }

  /** Sends players what a frame shows. @param {Match} match @param {Uint8Array} bytes @param {number} now ms */
  frame(match, bytes, now) {
    let feed = this.#feeds.get(match);
    if (!feed) {
      const send = (/** @type {number} */ slot, /** @type {string} */ text) => {
        const player = match.seats.playerAt(slot);
        if (player) this.#byPlayer.get(player)?.connection.sendText(text);
      };
      feed = new HudFeed(match.game.view.events, send, match.game.teams?.length);
      this.#feeds.set(match, feed);
    }
    feed.frame(bytes, now);
  }

  /** Sends the lobby to all phones for which it has changed. */
  sendLobby() {
    for (const pad of this.#pads.values()) this.#sendLobbyTo(pad);
  }

  /** @param {Pad} pad */
  #sendLobbyTo(pad) {
    if (pad.player.match === undefined) pad.sentMatch = undefined;
    const canPractise = this.practice.admits(pad.player);
    const screens = { isShown: this.isShown, canPractise };
    pad.connection.sendState(padLobby(this.services, pad.player, screens));
  }

  /** Sends a match to its players who do not know it yet, or to all. @param {Match} match @param {boolean} [all] */
  #sendMatchToPlayers(match, all = false) {
    for (const player of match.players) {
      const pad = this.#byPlayer.get(player);
      if (pad && (all || pad.sentMatch !== match)) this.#sendMatch(pad, match);
    }
  }

  /** @param {Pad} pad @param {Match} match */
  #sendMatch(pad, match) {
    pad.sentMatch = match;
    pad.connection.send(matchMessage(match, pad.player, this.services.records.newsOf(match)));
  }

  /** @param {Match} match @param {import('../match/match.js').End} end @param {Player[]} players at the end */
  #sendEnd(match, end, players) {
    this.#feeds.delete(match);
    const message = { t: 'ended', match: match.id, ...end };
    for (const player of players) {
      this.#ends.set(player, message);
      const pad = this.#byPlayer.get(player);
      if (pad?.sentMatch !== match) continue;
      pad.sentMatch = undefined;
      pad.connection.send(message);
    }
  }

  /** Sends a message to the players of a match. @param {Match} match @param {object} message */
  sendToPlayers(match, message) {
    for (const player of match.players) this.#byPlayer.get(player)?.connection.send(message);
  }
}

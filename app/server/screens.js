/** Handles the messages of screens, and sends them lobby and match messages. */
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { hashToken, newToken } from '../lobby/tokens.js';
import { DEMO } from '../lobby/venue.js';
import { ADMIN } from './admin.js';
import { screenLobby, slotsText, watchMessage } from './client-messages.js';
import { screenOwner } from './screen-tokens.js';

/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('../match/match.js').Match} Match */

/**
 * @typedef {object} Screen
 * @property {Connection} connection
 * @property {string} hash of its token
 * @property {string} owner owner of the matches that it starts
 * @property {Match | undefined} watching
 * @property {boolean} isSecond whether it shows the second match of a split view
 * @property {boolean} starting
 * @property {string} slots the last message about the seats of its match
 */

export class Screens {
  /** @type {Map<Connection, Screen>} */
  #screens = new Map();
  #tokens;
  /** @type {Map<Match, NodeJS.Timeout>} */
  #unwatched = new Map();

  /**
   * @param {import('./hub.js').HubServices} services @param {import('./frames.js').FramePump} pump
   * @param {import('./pauses.js').Pauses} pauses
   */
  constructor(services, pump, pauses) {
    const { lobby, settings, screenTokens, times, dev } = services;
    this.services = services;
    this.lobby = lobby;
    this.pump = pump;
    this.pauses = pauses;
    this.access = settings.screenAccess;
    this.unwatchedMs = times?.unwatchedMs ?? LIMITS.unwatchedMatch.value;
    this.#tokens = screenTokens;
    dev?.on('change', () => this.#sendDev(...this.#screens.keys()));
    lobby.on('started', (match) => {
      for (const screen of this.inLobby) this.#watch(screen, match);
      this.#endUnwatched(match);
    });
    lobby.on('game', (match) => {
      for (const screen of this.#watchersOf(match)) this.#sendWatch(screen, match);
    });
    lobby.on('ended', (match, end) => this.#sendEnd(match, end));
  }

  get count() {
    return this.#screens.size;
  }

  /** That of the screens that have not set their own, percent. @returns {number} */
  get volume() {
    return this.lobby.venue.volume ?? this.services.settings.volume;
  }

  /** Sets the volume of all screens. They and the TV remember it. @param {number} percent 0..100 */
  setVolume(percent) {
    this.lobby.venue.volume = percent; // of pages that are opened later
    for (const connection of this.#screens.keys()) connection.send({ t: 'volume', percent });
  }

  /**
   * Handles a hello: recognises the screen by token, or adds one. A known screen goes on watching its match. A screen
   * that shows two matches has a second connection, which says the second one.
   * @param {Connection} connection @param {Record<string, unknown>} message
   * @throws {PitvError} PITV_CODE_WRONG, PITV_CODE_LOCKED, PITV_MATCH_UNKNOWN
   */
  hello(connection, message) {
    let token = typeof message.token === 'string' ? message.token.slice(0, 64) : '';
    if (!this.#tokens.has(hashToken(token).toString('hex'))) {
      if (this.access === 'code') this.lobby.code.check(message.code, connection.address);
      token = newToken();
    }
    const hash = hashToken(token).toString('hex');
    const isSecond = message.second !== undefined;
    const second = isSecond ? this.lobby.match(message.second) : undefined;
    // What the screen shows after a reload is that of its first connection.
    const watched = isSecond ? undefined : this.#tokens.open(hash, connection.client);
    /** @type {Screen} */
    const screen = {
      connection,
      hash,
      owner: screenOwner(hash),
      watching: undefined,
      isSecond,
      starting: false,
      slots: '',
    };
    connection.readsDifferences = message.differences === true;
    this.#screens.set(connection, screen);
    const { version } = this.services;
    const about = { id: connection.id, name: 'pitv', version, token };
    connection.send({ t: 'welcome', role: 'screen', ...about });
    connection.sendState(screenLobby(this.services));
    this.#sendDev(connection);
    const { matches } = this.lobby;
    // A browser that was too busy to read has perhaps not heard of the match.
    const own = this.services.dev ? matches.at(-1) : matches.find(({ id }) => id === watched);
    const match = second ?? own;
    if (match) this.#watch(screen, match);
    else this.lobby.emit('change'); // phones can practise
  }

  /**
   * Handles a text message.
   * @param {Connection} connection @param {{t: string} & Record<string, unknown>} message
   * @returns {Promise<unknown> | void} rejects or throws with a PitvError if the request is refused
   */
  handleText(connection, message) {
    const screen = /** @type {Screen} */ (this.#screens.get(connection));
    switch (message.t) {
      case 'start':
        return this.#start(screen, message);
      case 'party': {
        const { games, first } = message;
        const { owner } = screen;
        return this.services.party.start({ games, first, owner, client: connection.client });
      }
      case 'end-party':
        return this.#endParty(screen);
      case 'bots':
        return this.lobby.setBotStrength(message.strength);
      case 'watch':
        if (message.match === null || message.match === undefined) {
          this.#leave(screen);
          return connection.send({ t: 'watch', match: null, game: null, slots: [] });
        }
        return this.#watch(screen, this.lobby.match(message.match));
      case 'pause': {
        const match = this.lobby.match(message.match);
        const mayStop = this.#mayStop(screen, match);
        if (screen.watching !== match && !mayStop) {
          throw new PitvError('PITV_NOT_YOURS', 'Only screens that show a match may pause it.');
        }
        const client = mayStop ? connection.client : undefined;
        const who = { client, asks: message.ask === true };
        return this.pauses.set(match, message.on === true, who);
      }
      case 'stop': {
        const match = this.lobby.match(message.match);
        if (this.#mayStop(screen, match)) return match.stop();
        const sentence = 'Only the owner of this match and the admin may stop it.';
        throw new PitvError('PITV_NOT_YOURS', sentence);
      }
      default:
        throw new PitvError('PITV_MESSAGE_INVALID', 'Screens cannot send messages of this type.');
    }
  }

  /** @param {Screen} screen @param {Record<string, unknown>} message */
  async #start(screen, { game, options }) {
    if (screen.starting) return; // the key was pressed twice
    if (this.services.party.isBetweenGames) return this.services.party.next();
    screen.starting = true;
    try {
      const { owner, connection } = screen;
      await this.lobby.start(game, { options, owner, client: connection.client });
    } finally {
      screen.starting = false;
    }
  }

  /** @param {Screen} screen */
  async #endParty({ connection, owner }) {
    const { party } = this.services;
    await party.stop(this.access === 'code' ? party.owner : owner, true);
    if (party.progress?.phase !== 'playing') return;
    const message = 'The party ends after this game.';
    connection.send({ t: 'notice', level: 'info', code: 'lastGame', message });
  }

  /**
   * Tells whether a screen may stop a match: one of its own, a demo, any if it had to give the join code, and one that
   * has no other watcher and no connected player.
   * @param {Screen} screen @param {Match} match
   */
  #mayStop(screen, match) {
    if ([screen.owner, DEMO].includes(match.owner) || this.access === 'code') return true;
    const watchers = this.pump.watchers(match);
    const isWanted = this.services.home.isWanted(match.id);
    const alone = watchers.size === 1 && watchers.has(screen.connection) && !isWanted;
    return alone && !match.players.some((player) => player.connected);
  }

  /** @param {Screen} screen @param {Match} match */
  #watch(screen, match) {
    this.#leave(screen);
    this.pump.watch(screen.connection, match);
    screen.watching = match;
    this.lobby.emit('change'); // its other screens may no longer stop it
    this.#forgetUnwatched(match);
    this.#sendWatch(screen, match);
    if (match.paused) this.pump.sendLast(screen.connection, match);
  }

  /** @param {Screen} screen @param {Match} match */
  #sendWatch(screen, match) {
    const news = this.services.records.newsOf(match);
    const mayStop = this.#mayStop(screen, match);
    screen.slots = slotsText(match, mayStop);
    screen.connection.send(watchMessage(match, mayStop, news));
  }

  /** Ends the watching of the current match. @param {Screen} screen */
  #leave(screen) {
    const match = screen.watching;
    if (!match) return;
    screen.watching = undefined;
    this.pump.unwatch(screen.connection, match);
    this.lobby.emit('change');
    this.#endUnwatched(match);
  }

  /** Ends an unwatched match of this TV, unless it is for pads or the admin started it. @param {Match} match */
  #endUnwatched(match) {
    const { players } = match.game;
    if (players.max > 0 || match.owner === ADMIN || this.pump.watchers(match).size > 0) return;
    this.#forgetUnwatched(match);
    const wasWanted = this.services.home.isWanted(match.id);
    const timer = setTimeout(() => {
      // Screens of other TVs come and go unnoticed: they have the whole time, too.
      const isWatched = !match.isOwn || wasWanted || this.services.home.isWanted(match.id);
      if (isWatched) this.#endUnwatched(match);
      else void match.stop('empty');
    }, this.unwatchedMs);
    this.#unwatched.set(match, timer.unref());
  }

  /** @param {Match} match that is watched, or over */
  #forgetUnwatched(match) {
    clearTimeout(this.#unwatched.get(match));
    this.#unwatched.delete(match);
  }

  /** Handles the end of a connection. @param {Connection} connection */
  closed(connection) {
    const screen = this.#screens.get(connection);
    if (!screen) return;
    const watched = screen.watching?.id;
    this.#leave(screen);
    this.#screens.delete(connection);
    if (!screen.isSecond) this.#tokens.close(screen.hash, watched);
    if (!watched) this.lobby.emit('change');
  }

  close() {
    for (const timer of this.#unwatched.values()) clearTimeout(timer);
  }

  /** Sends the lobby, and the seats of the match that a screen watches, to all screens for which they have changed. */
  sendLobby() {
    const text = screenLobby(this.services);
    /** @type {Map<string, string>} */
    const texts = new Map();
    for (const screen of this.#screens.values()) {
      const { connection, watching } = screen;
      connection.sendState(text);
      if (!watching) continue;
      const mayStop = this.#mayStop(screen, watching);
      const key = `${watching.id} ${mayStop}`;
      const slots = texts.get(key) ?? slotsText(watching, mayStop);
      texts.set(key, slots);
      if (slots !== screen.slots) connection.sendText(slots);
      screen.slots = slots;
    }
  }

  /** Sends the state of the game that is being developed. @param {Connection[]} connections */
  #sendDev(...connections) {
    const { dev } = this.services;
    if (dev) for (const connection of connections) connection.send({ t: 'dev', ...dev.state });
  }

  /** @param {Match} match @param {import('../match/match.js').End} end */
  #sendEnd(match, end) {
    this.sendToWatchers(match, { t: 'ended', match: match.id, ...end });
    for (const screen of this.#watchersOf(match)) screen.watching = undefined;
    this.pump.forget(match);
    this.#forgetUnwatched(match);
  }

  /** The screens that show the lobby. */
  get inLobby() {
    return [...this.#screens.values()].filter(({ watching, isSecond }) => !watching && !isSecond);
  }

  /** @param {Match} match @returns {Screen[]} */
  #watchersOf(match) {
    return [...this.#screens.values()].filter(({ watching }) => watching === match);
  }

  /** Sends a message to all screens that watch a match. @param {Match} match @param {object} message */
  sendToWatchers(match, message) {
    for (const { connection } of this.#watchersOf(match)) connection.send(message);
  }
}

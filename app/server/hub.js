/** The hub: waits for the hello of each websocket, limits its messages, and passes them to pads.js or screens.js. */
import { PitvError, messageOf } from '../errors.js';
import { BucketMap } from '../limits/bucket-map.js';
import { LIMITS, burstFor } from '../limits/table.js';
import { LogLimiter } from '../limits/log-limiter.js';
import { CLOSE, Connection } from './connection.js';
import { FramePump } from './frames.js';
import { parseText } from './messages.js';
import { Pads } from './pads.js';
import { Pauses } from './pauses.js';
import { Practice } from './practice.js';
import { Replays } from './replays.js';
import { Screens } from './screens.js';
import { Upgrades } from './upgrades.js';

const HEARTBEAT_MS = 5000;
/** Changes within this time are sent as one lobby message. */
const LOBBY_COALESCE_MS = 30;

/**
 * @typedef {Partial<Record<'helloMs' | 'heartbeatMs' | 'deadMs' | 'unreadMs' | 'unwatchedMs' | 'partyRestMs' |
 *   'readyMs', number>>} Times for tests, in ms; the defaults are in LIMITS
 *
 * @typedef {object} Connections parts of the server that the hub uses
 * @property {import('./metrics.js').Counters} counters
 * @property {import('./origins.js').ClientAddresses} addresses
 * @property {import('./request-limits.js').RequestLimits} requests
 *
 * @typedef {import('../tv.js').Services & Connections} HubServices
 * @typedef {import('../match/match.js').Match} Match
 */

export class Hub {
  /** @type {Set<Connection>} */
  #connections = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #lobbyTimer;
  /** Time of the last lobby messages, ms. */
  #lobbySentAt = -Infinity;
  #heartbeat;
  #hellos;
  #limitedLog;
  #closed = false;

  /** @param {HubServices} services */
  constructor(services) {
    const { lobby, settings, log, counters, times = {} } = services;
    this.lobby = lobby;
    this.log = log;
    this.#limitedLog = new LogLimiter(log);
    this.counters = counters;
    this.#hellos = new BucketMap(burstFor(LIMITS.hellos.value, settings));
    this.helloMs = times.helloMs ?? LIMITS.helloMs.value;
    this.deadMs = times.deadMs ?? LIMITS.deadMs.value;
    this.unreadMs = times.unreadMs ?? LIMITS.unreadMs.value;
    const { heartbeatMs = HEARTBEAT_MS } = times;
    this.upgrades = new Upgrades(services, (socket, address) => this.#connect(socket, address));
    const pauses = new Pauses();
    this.pads = new Pads(services, {
      pauses,
      practice: new Practice(() => this.screens.inLobby),
      isShown: (match) => this.pump.watchers(match).size > 0 || services.home.isWanted(match.id),
    });
    this.replays = new Replays(lobby);
    this.pump = new FramePump({
      matches: () => lobby.matches,
      counters,
      replays: this.replays,
      onFrame: (match, bytes, now) => {
        this.pads.frame(match, bytes, now);
        services.records.frame(match, bytes);
      },
    });
    lobby.on('frame', (match) => this.pump.take(match));
    this.screens = new Screens(services, this.pump, pauses);
    lobby.on('change', () => this.lobbyChanged());
    lobby.on('restart', (match, { reason }) => {
      counters.restarts.add(reason);
      const message = 'The game had a problem. It continues from a moment ago.';
      this.#sendToAll(match, { t: 'notice', level: 'warning', code: 'resumed', message });
    });
    lobby.on('pause', (match) => {
      this.#sendToAll(match, { t: 'pause', match: match.id, paused: match.paused });
    });
    lobby.on('ended', (_match, { reason }) => counters.ended.add(reason));
    services.records.on('news', (match, news) => {
      this.#sendToAll(match, { t: 'news', match: match.id, news });
    });
    this.#heartbeat = setInterval(() => this.#checkConnections(), heartbeatMs).unref();
  }

  /** Schedules the lobby messages for all clients. Several changes are sent as one message. */
  lobbyChanged() {
    if (this.#closed) return;
    this.pump.update();
    const pauseMs = this.#lobbySentAt + LIMITS.lobbyPause.value - performance.now();
    const sendLobby = () => {
      this.#lobbyTimer = undefined;
      this.#lobbySentAt = performance.now();
      this.screens.sendLobby();
      this.pads.sendLobby();
    };
    this.#lobbyTimer ??= setTimeout(sendLobby, Math.max(LOBBY_COALESCE_MS, pauseMs));
  }

  /** @param {import('ws').WebSocket} socket @param {string} address */
  #connect(socket, address) {
    const connection = new Connection(socket, address, this.counters);
    this.#connections.add(connection);
    const closeWithoutHello = () => connection.socket.close(CLOSE.noHello, 'no hello');
    let helloTimer = setTimeout(closeWithoutHello, this.helloMs);
    let refused = false;
    /** @param {Buffer} bytes @param {boolean} isBinary */
    const receive = (bytes, isBinary) => {
      const at = performance.now();
      connection.heardAt = at;
      this.counters.messages++;
      this.counters.bytesReceived += bytes.length;
      if (connection.role) return this.#handleMessage(connection, bytes, isBinary, at);
      this.#handleHello(connection, bytes, isBinary);
      if (connection.role) return clearTimeout(helloTimer);
      if (refused) return;
      refused = true;
      clearTimeout(helloTimer);
      helloTimer = setTimeout(closeWithoutHello, LIMITS.helloAgainMs.value);
    };
    socket.on('message', (data, isBinary) => {
      if (!connection.isOpen) return; // the TV has closed it; messages in transit still arrive
      try {
        receive(/** @type {Buffer} */ (data), isBinary);
      } catch (error) {
        this.#refuse(connection, error); // so that no client's message can crash the TV
      }
    });
    socket.on('error', (error) => {
      // ws has closed the connection already, for example because of an unmasked frame or invalid UTF-8.
      this.counters.dropped('protocol');
      const about = { address, error: messageOf(error) };
      this.log.debug(about, 'a client violated the websocket protocol');
    });
    socket.on('close', () => {
      clearTimeout(helloTimer);
      this.#connections.delete(connection);
      if (connection.role === 'pad') this.pads.closed(connection);
      if (connection.role === 'screen') this.screens.closed(connection);
    });
  }

  /**
   * Handles a message of a connection that has no role yet, and gives it one if it is accepted.
   * @param {Connection} connection @param {Buffer} bytes @param {boolean} isBinary
   */
  #handleHello(connection, bytes, isBinary) {
    const now = performance.now();
    if (isBinary || !connection.texts.take(now)) {
      return connection.dropMessage('before-hello');
    }
    if (!this.#hellos.take(connection.client, now)) {
      this.counters.dropped('hello-flood');
      return connection.closeForViolation('too many hellos');
    }
    try {
      const message = parseText(bytes);
      if (message.t !== 'hello') {
        throw new PitvError('PITV_MESSAGE_INVALID', 'The first message must be a hello.');
      }
      if (message.role === 'pad') this.pads.hello(connection, message);
      else if (message.role === 'screen') this.screens.hello(connection, message);
      else throw new PitvError('PITV_MESSAGE_INVALID', 'role must be "screen" or "pad".');
      connection.role = message.role;
      if (message.role === 'pad') this.upgrades.addPlayer(connection.socket);
    } catch (error) {
      this.#refuse(connection, error);
    }
  }

  /** @param {Connection} connection @param {Buffer} bytes @param {boolean} isBinary @param {number} at */
  #handleMessage(connection, bytes, isBinary, at) {
    if (isBinary) {
      if (connection.role !== 'pad') return connection.dropMessage('binary-from-screen');
      return this.pads.handleInput(connection, bytes, at);
    }
    if (!connection.texts.take(at)) return connection.dropMessage('text-flood');
    const message = parseText(bytes);
    if (message.t === 'ping') return connection.send({ t: 'pong', at: numberOf(message.at) });
    if (message.t === 'pong') return;
    const role = connection.role === 'pad' ? this.pads : this.screens;
    role.handleText(connection, message)?.catch((error) => this.#refuse(connection, error));
  }

  /** Counts or logs an error, and sends it to the client. @param {Connection} connection @param {unknown} error */
  #refuse(connection, error) {
    if (error instanceof PitvError) {
      this.counters.dropped(error.code === 'PITV_MESSAGE_INVALID' ? 'bad-message' : 'refused');
    } else {
      this.#limitedLog.error(error, {}, 'a message could not be handled');
    }
    connection.sendError(error);
  }

  /** Sends a message to the screens and phones of a match. @param {Match} match @param {object} message */
  #sendToAll(match, message) {
    this.screens.sendToWatchers(match, message);
    this.pads.sendToPlayers(match, message);
  }

  /** Ends connections of clients that neither send nor read, and pings the others. */
  #checkConnections() {
    const now = performance.now();
    for (const connection of this.#connections) {
      if (now - connection.heardAt > this.deadMs) {
        this.counters.dropped('dead');
        connection.socket.terminate();
      } else if (connection.unansweredMs(now) > this.unreadMs) {
        this.counters.dropped('never-reads');
        connection.socket.terminate();
      } else connection.ping(now);
    }
  }

  /** Closes all connections. */
  close() {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#lobbyTimer);
    this.pump.close();
    this.screens.close();
    this.pads.close();
    for (const connection of this.#connections)
      connection.socket.close(CLOSE.goingAway, 'the TV is stopping');
    this.upgrades.close();
  }
}

/** Returns a finite number as it is, and 0 for any other value. @param {unknown} value @returns {number} */
const numberOf = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

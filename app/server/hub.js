/**
 * The hub: every open websocket (upgrades.js) comes in here. It waits for the hello, bounds what each
 * connection may send, and hands the rest to pads.js and screens.js.
 */
import { PitvError, messageOf } from '../errors.js';
import { BucketMap } from '../limits/bucket-map.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS, burstFor } from '../limits/table.js';
import { LogLimiter } from '../limits/log-limiter.js';
import { CLOSE, Connection } from './connection.js';
import { FramePump } from './frames.js';
import { parseText } from './messages.js';
import { Pads } from './pads.js';
import { Screens } from './screens.js';
import { Upgrades } from './upgrades.js';

const HEARTBEAT_MS = 5000;
/** Changes within this time go out as one lobby message. */
const LOBBY_COALESCE_MS = 30;

/**
 * @typedef {object} Times for tests, in ms; the defaults are in LIMITS
 * @property {number} [helloMs]
 * @property {number} [heartbeatMs]
 * @property {number} [deadMs]
 * @property {number} [unreadMs]
 * @property {number} [unwatchedMs]
 *
 * @typedef {object} Connections what the hub needs of the server
 * @property {import('./metrics.js').Counters} counters
 * @property {import('./latency.js').LatencyMeter} latency
 * @property {import('./client-address.js').ClientAddresses} addresses
 * @property {import('./request-rate.js').RequestRate} requests
 *
 * @typedef {import('../create-tv.js').Services & Connections} HubServices
 */

export class Hub {
  /** @type {Set<Connection>} */
  #connections = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #lobbyTimer;
  /** When the lobby messages were sent last, ms. */
  #lobbyToldAt = -Infinity;
  #heartbeat;
  #hellos;
  #rareLog;
  #closed = false;

  /** @param {HubServices} services */
  constructor(services) {
    const { lobby, settings, log, counters, latency, times = {} } = services;
    this.lobby = lobby;
    this.log = log;
    this.#rareLog = new LogLimiter(log);
    this.counters = counters;
    this.#hellos = new BucketMap(burstFor(LIMITS.hellos.value, settings));
    this.helloMs = times.helloMs ?? LIMITS.helloMs.value;
    this.deadMs = times.deadMs ?? LIMITS.deadMs.value;
    this.unreadMs = times.unreadMs ?? LIMITS.unreadMs.value;
    this.upgrades = new Upgrades(services, (socket, address) => this.#connect(socket, address));
    this.pads = new Pads(services);
    this.pump = new FramePump({
      matches: () => lobby.matches,
      latency,
      counters,
      onFrame: (match, bytes, now) => this.pads.frame(match, bytes, now),
    });
    this.screens = new Screens(services, this.pump);
    lobby.on('change', () => this.lobbyChanged());
    lobby.on('restart', (match, { reason }) => this.#tellRestart(match, reason));
    lobby.on('ended', (_match, { reason }) => counters.ended.inc({ reason }));
    this.#heartbeat = setInterval(() => this.#beat(), times.heartbeatMs ?? HEARTBEAT_MS).unref();
  }

  /** Tells everybody, soon, and once for many changes. */
  lobbyChanged() {
    if (this.#closed) return;
    this.pump.update();
    const pauseMs = this.#lobbyToldAt + LIMITS.lobbyPause.value - performance.now();
    this.#lobbyTimer ??= setTimeout(
      () => {
        this.#lobbyTimer = undefined;
        this.#lobbyToldAt = performance.now();
        this.screens.tellLobby();
        this.pads.tellLobby();
      },
      Math.max(LOBBY_COALESCE_MS, pauseMs),
    );
  }

  /** @param {import('ws').WebSocket} socket @param {string} address */
  #connect(socket, address) {
    const connection = new Connection(socket, address, this.counters);
    this.#connections.add(connection);
    const tooLate = () => connection.close(CLOSE.noHello, 'no hello');
    let helloTimer = setTimeout(tooLate, this.helloMs);
    let refused = false;
    /** @param {Buffer} bytes @param {boolean} isBinary */
    const receive = (bytes, isBinary) => {
      const at = performance.now();
      connection.heardAt = at;
      this.counters.received(bytes.length);
      if (connection.role) return this.#message(connection, bytes, isBinary, at);
      if (this.#hello(connection, bytes, isBinary)) {
        clearTimeout(helloTimer);
      } else if (!refused) {
        refused = true;
        clearTimeout(helloTimer);
        helloTimer = setTimeout(tooLate, LIMITS.helloAgainMs.value);
      }
      return undefined;
    };
    socket.on('message', (data, isBinary) => {
      if (!connection.isOpen) return; // was sent away, and what it sent before still comes
      try {
        receive(/** @type {Buffer} */ (data), isBinary);
      } catch (error) {
        this.#refuse(connection, error); // one client's message must not be the end of all
      }
    });
    socket.on('error', (error) => {
      // ws has ended the connection already: a frame too big, not masked, text that is not UTF-8 ...
      this.counters.dropped('protocol');
      this.log.debug({ address, error: messageOf(error) }, 'a client broke the protocol');
    });
    socket.on('close', () => {
      clearTimeout(helloTimer);
      this.#connections.delete(connection);
      if (connection.role === 'pad') this.pads.closed(connection);
      if (connection.role === 'screen') this.screens.closed(connection);
    });
  }

  /**
   * @param {Connection} connection @param {Buffer} bytes @param {boolean} isBinary
   * @returns {boolean} whether the connection is somebody now
   */
  #hello(connection, bytes, isBinary) {
    const now = performance.now();
    if (isBinary || !connection.texts.take(now)) {
      connection.drop('before-hello');
      return false;
    }
    if (!this.#hellos.take(clientKey(connection.address), now)) {
      this.counters.dropped('hello-flood');
      connection.throwOut('too many hellos');
      return false;
    }
    try {
      const message = parseText(bytes);
      if (message.t !== 'hello') {
        throw new PitvError('PITV_MESSAGE_INVALID', 'The first message has to be a hello.');
      }
      if (message.role === 'pad') this.pads.hello(connection, message);
      else if (message.role === 'screen') this.screens.hello(connection, message);
      else throw new PitvError('PITV_MESSAGE_INVALID', 'role has to be "screen" or "pad".');
      connection.role = message.role;
      return true;
    } catch (error) {
      this.#refuse(connection, error);
      return false;
    }
  }

  /** @param {Connection} connection @param {Buffer} bytes @param {boolean} isBinary @param {number} at */
  #message(connection, bytes, isBinary, at) {
    if (isBinary) {
      if (connection.role !== 'pad') return connection.drop('binary-from-screen');
      return this.pads.binary(connection, bytes, at);
    }
    if (!connection.texts.take(at)) return connection.drop('text-flood');
    try {
      const message = parseText(bytes);
      if (message.t === 'ping') return connection.send({ t: 'pong', at: numberOf(message.at) });
      if (message.t === 'pong') return undefined;
      const role = connection.role === 'pad' ? this.pads : this.screens;
      role.text(connection, message)?.catch((error) => this.#refuse(connection, error));
    } catch (error) {
      this.#refuse(connection, error);
    }
    return undefined;
  }

  /** @param {Connection} connection @param {unknown} error */
  #refuse(connection, error) {
    if (error instanceof PitvError) {
      this.counters.dropped(error.code === 'PITV_MESSAGE_INVALID' ? 'bad-message' : 'refused');
    } else {
      this.#rareLog.error(error, {}, 'a message could not be handled');
    }
    connection.sendError(error);
  }

  /** @param {import('../match/match.js').Match} match @param {string} reason */
  #tellRestart(match, reason) {
    this.counters.restarts.inc({ reason });
    const notice = {
      t: 'notice',
      level: 'warning',
      message: 'The game stumbled. It goes on from a moment ago.',
    };
    this.screens.tellWatchers(match, notice);
    this.pads.tellPlayers(match, notice);
  }

  #beat() {
    const now = performance.now();
    for (const connection of this.#connections) {
      if (now - connection.heardAt > this.deadMs) {
        this.counters.dropped('dead');
        connection.socket.terminate();
      } else if (connection.unreadMs(now) > this.unreadMs) {
        this.counters.dropped('never-reads');
        connection.socket.terminate();
      } else connection.ping(now);
    }
  }

  /** Says good-bye to everybody. */
  close() {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#lobbyTimer);
    this.pump.close();
    this.screens.close();
    for (const connection of this.#connections)
      connection.close(CLOSE.goingAway, 'the TV goes off');
    this.upgrades.close();
  }
}

/** @param {unknown} value @returns {number} echoed to the sender only, but never anything but a number */
const numberOf = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

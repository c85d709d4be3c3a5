/** The HTTP server of the TV: one port for pages, API and websocket. */
import { once } from 'node:events';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import { PitvError, messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { LogLimiter } from '../limits/log-limiter.js';
import { require } from '../require.js';
import { codeOf } from '../storage/reason.js';
import { AdminCheck } from './admin.js';
import { clientAddresses } from './origins.js';
import { createApp } from './http.js';
import { Hub } from './hub.js';
import { LoopDelay } from './measurements.js';
import { Metrics } from './metrics.js';
import { RequestLimits } from './request-limits.js';
import { Sockets, WriteProgress, limitKernelBuffers } from './sockets.js';

/** @type {typeof import('node:http')} */
const { ServerResponse, createServer: createHttpServer } = require('node:http');

/** Interval at which Node.js checks for requests that take too long. */
const CHECK_MS = 2000;
/** Most connections that wait to be accepted, see net.core.somaxconn. A full queue makes others wait for a second. */
const BACKLOG = 4096;
/** Time for clients to answer a close frame before their connections are destroyed. */
const CLOSE_GRACE_MS = 200;

/** @typedef {import('../tv.js').Services} Services */

export class Server {
  #loopDelay;
  #http;
  #sockets;
  #progress;

  /** @param {Services} services */
  constructor(services) {
    const { settings, log, lobby, access, usage, system, udp, home, times } = services;
    this.settings = settings;
    this.log = log;
    this.#loopDelay = new LoopDelay((delay) => void system.history.record(delay));
    this.metrics = new Metrics(usage, () => ({
      loopDelay: this.#loopDelay.recent,
      counts: {
        matches: lobby.matches.length,
        players: lobby.players.all.length,
        screens: this.hub.screens.count,
        pads: this.hub.pads.count,
        wrongCodes: lobby.code.wrong,
      },
      udp,
      addMore: (write) => home.addMetrics(write),
    }));
    const { counters } = this.metrics;
    const addresses = clientAddresses(settings.trustedProxy);
    const requests = new RequestLimits(settings, addresses, counters);
    this.hub = new Hub({ ...services, addresses, requests, counters });
    const admin = new AdminCheck(access, addresses.of);
    const { hub, metrics } = this;
    const app = createApp({ ...services, addresses, admin, hub, metrics, server: this });
    const options = {
      requestTimeout: LIMITS.requestMs.value,
      headersTimeout: LIMITS.headersMs.value,
      maxHeaderSize: LIMITS.headerBytes.value,
      connectionsCheckingInterval: CHECK_MS,
    };
    const handler = requests.guard(app);
    /** @type {import('node:http').Server} */
    this.#http = settings.tlsCert
      ? createHttpsServer({ ...options, handshakeTimeout: LIMITS.handshakeMs.value }, handler)
      : createHttpServer(options, handler);
    this.#sockets = new Sockets(this.#http, settings, addresses, counters);
    const stalledMs = times?.unreadMs ?? LIMITS.unreadMs.value;
    this.#progress = new WriteProgress(stalledMs, () => counters.dropped('never-reads'));
    const connected = settings.tlsCert ? 'secureConnection' : 'connection';
    this.#http.on(connected, (socket) => this.#progress.add(socket));
    const goOn = requests.guard((request, response) => {
      response.writeContinue();
      app(request, response);
    });
    const refuse = requests.guard((_request, response) => {
      response.writeHead(417, { 'Content-Length': 0 }).end();
    });
    this.#http.on('checkContinue', goOn).on('checkExpectation', refuse);
    this.#http.on('upgrade', (request, socket, head) => {
      // The rest of an unfinished response would be mixed with the websocket's frames.
      if (requests.unfinished(request.socket) > 0) socket.destroy();
      else if (isOtherProtocol(request)) answerAnyway(handler, request);
      else if (this.hub.upgrades.handle(request, socket, head)) {
        this.#sockets.addWebsocket(request.socket);
      }
    });
  }

  /** Open TCP connections. */
  get sockets() {
    return this.#sockets.count;
  }

  /**
   * Opens the port.
   * @returns {Promise<number>} the port
   * @throws {PitvError} PITV_PORT_BUSY, PITV_LISTEN_FAILED, PITV_TLS_FILE, PITV_TLS_INVALID, PITV_TLS_MISMATCH
   */
  async listen() {
    await this.#loadCertificate();
    const { host, port } = this.settings;
    try {
      await once(this.#http.listen({ host, port, backlog: BACKLOG }), 'listening');
    } catch (error) {
      const isBusy = codeOf(error) === 'EADDRINUSE';
      const sentence = isBusy
        ? `Port ${port} is used by another program. Choose another port with --port.`
        : `Cannot listen on ${host} port ${port}: ${messageOf(error)}.`;
      throw new PitvError(isBusy ? 'PITV_PORT_BUSY' : 'PITV_LISTEN_FAILED', sentence);
    }
    const limitedLog = new LogLimiter(this.log);
    this.#http.on('error', (error) => limitedLog.error(error, {}, 'a connection was not accepted'));
    limitKernelBuffers(this.#http);
    const address = /** @type {import('node:net').AddressInfo} */ (this.#http.address());
    return address.port;
  }

  /** Reloads the certificate. If that fails, new connections use the current one. */
  async reloadCertificate() {
    try {
      await this.#loadCertificate();
    } catch (error) {
      const sentence = 'the certificate was not reloaded; the current one stays in use';
      this.log.error({ error: messageOf(error) }, sentence);
    }
  }

  /**
   * Reads the certificate from its files, for new connections.
   * @throws {PitvError} PITV_TLS_FILE, PITV_TLS_INVALID, PITV_TLS_MISMATCH
   */
  async #loadCertificate() {
    if (!(this.#http instanceof HttpsServer)) return;
    const { readCertificate } = await import('./certificate.js');
    const { context, validTo, expired } = await readCertificate(this.settings);
    this.#http.setSecureContext(context);
    if (expired) this.log.warn({ validTo }, 'the certificate has expired, or the clock is wrong');
    else this.log.info({ validTo }, 'the certificate was read');
  }

  /** Returns the delays of the event loop and the latency of inputs, in ms, since the last resetMeasurements(). */
  measurements() {
    return { loop: this.#loopDelay.snapshot(), latency: this.metrics.counters.latency.snapshot() };
  }

  resetMeasurements() {
    this.#loopDelay.reset();
    this.metrics.counters.latency.reset();
  }

  /** Closes all connections and the port. */
  async close() {
    this.hub.close();
    this.#loopDelay.close();
    this.#progress.close();
    const closed = new Promise((resolve) => this.#http.close(resolve));
    this.#http.closeIdleConnections();
    const grace = setTimeout(() => this.#sockets.destroyAll(), CLOSE_GRACE_MS);
    await closed;
    clearTimeout(grace);
  }
}

/**
 * Tells whether a request would rather have another protocol than HTTP/1.1, and no websocket: Java's and curl's clients
 * offer HTTP/2 with the first request of a connection. A server ignores what it does not speak (RFC 9110, section 7.8).
 * @param {import('node:http').IncomingMessage} request
 */
const isOtherProtocol = ({ method = '', headers }) =>
  headers.upgrade?.toLowerCase() !== 'websocket' && ['GET', 'HEAD'].includes(method);

/**
 * Answers a request that Node.js has taken for one of a websocket, and closes its connection.
 * @param {import('./request-limits.js').Handler} handler @param {import('node:http').IncomingMessage} request
 */
function answerAnyway(handler, request) {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  socket.on('error', () => {}); // the client may leave meanwhile
  handler(request, response);
}

/** The web side of the TV: one port for pages, API and websocket. */
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import { PitvError, messageOf } from '../errors.js';
import { LIMITS, burstFor } from '../limits/table.js';
import { LogLimiter } from '../limits/log-limiter.js';
import { boundReceiveBuffer } from './receive-buffer.js';
import { UdpMetrics } from './udp-metrics.js';
import { AdminCheck } from './admin.js';
import { readCertificate } from './certificate.js';
import { clientAddresses } from './client-address.js';
import { createApp } from './http.js';
import { Hub } from './hub.js';
import { LatencyMeter } from './latency.js';
import { LoopDelay } from './loop-delay.js';
import { Metrics } from './metrics.js';
import { Pipelining } from './pipelining.js';
import { RequestRate } from './request-rate.js';
import { Sockets } from './sockets.js';
import { WriteProgress } from './write-progress.js';

/** How often Node.js looks for requests that take too long. */
const CHECK_MS = 2000;
/** How long clients have to answer the goodbye before their connections are ended. */
const CLOSE_GRACE_MS = 200;

/** @typedef {import('../create-tv.js').Services} Services */

export class Server {
  #loopDelay = new LoopDelay();
  #http;
  #sockets;
  #progress;

  /** @param {Services} services */
  constructor(services) {
    const { settings, log, lobby, access, usage, udp, times } = services;
    this.settings = settings;
    this.log = log;
    this.metrics = new Metrics({
      sample: () => usage.sample(),
      loopDelay: () => this.#loopDelay.recent,
      counts: () => ({
        matches: lobby.matches.length,
        players: lobby.players.all.length,
        screens: this.hub.screens.count,
        pads: this.hub.pads.count,
        wrongCodes: lobby.code.wrong,
      }),
    });
    const { counters } = this.metrics;
    this.latency = new LatencyMeter((seconds) => counters.latency.observe(seconds));
    if (udp) new UdpMetrics(this.metrics.registry, udp);
    const addresses = clientAddresses(settings.trustedProxy);
    const requests = new RequestRate({
      rate: burstFor(
        { ...LIMITS.requests.value, perSecond: settings.maxRequestsPerSecond },
        settings,
      ),
      addressOf: addresses.of,
      onRefused: () => counters.dropped('request-rate'),
    });
    this.hub = new Hub({ ...services, addresses, requests, counters, latency: this.latency });
    const pipelining = new Pipelining({
      maxPerSocket: LIMITS.pipelined.value,
      maxPerClient: LIMITS.unfinishedPerAddress.value,
      addressOf: addresses.of,
      onRefused: () => counters.dropped('pipelining'),
    });
    const app = createApp({
      ...services,
      addresses,
      admin: new AdminCheck(access),
      hub: this.hub,
      metrics: this.metrics,
      measurements: {
        snapshot: () => this.measurements(),
        reset: () => this.resetMeasurements(),
      },
    });
    const options = {
      requestTimeout: LIMITS.requestMs.value,
      headersTimeout: LIMITS.headersMs.value,
      maxHeaderSize: LIMITS.headerBytes.value,
      connectionsCheckingInterval: CHECK_MS,
    };
    /** @param {import('./pipelining.js').Handler} handle */
    const guard = (handle) => pipelining.guard(requests.guard(handle));
    const handler = guard(app);
    /** @type {import('node:http').Server} */
    this.#http = settings.tlsCert
      ? createHttpsServer({ ...options, handshakeTimeout: LIMITS.handshakeMs.value }, handler)
      : createHttpServer(options, handler);
    this.#sockets = new Sockets(this.#http, {
      max: settings.maxClients + LIMITS.pageSockets.value,
      maxPerAddress: settings.maxClientsPerAddress + LIMITS.pageSocketsPerAddress.value,
      rate: burstFor(LIMITS.newSockets.value, settings),
      isExempt: addresses.isProxy, // its connections are those of many clients
      onRefused: () => counters.dropped('socket-address'),
    });
    this.#progress = new WriteProgress({
      stalledMs: times?.unreadMs ?? LIMITS.unreadMs.value,
      onStalled: () => counters.dropped('never-reads'),
    });
    const connected = settings.tlsCert ? 'secureConnection' : 'connection';
    this.#http.on(connected, (socket) => this.#progress.add(socket));
    this.#http.on(
      'checkContinue',
      guard((request, response) => {
        response.writeContinue();
        app(request, response);
      }),
    );
    this.#http.on(
      'checkExpectation',
      guard((_request, response) => {
        response.writeHead(417, { 'Content-Length': 0 }).end();
      }),
    );
    this.#http.on('upgrade', (request, socket, head) => {
      // A response that is still being written would run into the websocket's frames.
      if (pipelining.unfinished(request.socket) > 0) socket.destroy();
      else this.hub.upgrades.handle(request, socket, head);
    });
  }

  /** Open TCP connections. */
  get sockets() {
    return this.#sockets.count;
  }

  /**
   * @returns {Promise<number>} the port
   * @throws {PitvError} PITV_PORT_BUSY, PITV_LISTEN_FAILED, PITV_TLS_FILE, PITV_TLS_INVALID, PITV_TLS_MISMATCH
   */
  async listen() {
    await this.#loadCertificate();
    const { host, port } = this.settings;
    await new Promise((resolve, reject) => {
      const fail = (/** @type {NodeJS.ErrnoException} */ error) => {
        reject(
          error.code === 'EADDRINUSE'
            ? new PitvError(
                'PITV_PORT_BUSY',
                `Port ${port} is taken by another program. Choose another one with --port.`,
              )
            : new PitvError(
                'PITV_LISTEN_FAILED',
                `Cannot listen on ${host} port ${port}: ${messageOf(error)}.`,
              ),
        );
      };
      this.#http.once('error', fail).listen({ host, port }, () => {
        this.#http.off('error', fail);
        resolve(undefined);
      });
    });
    const rareLog = new LogLimiter(this.log);
    this.#http.on('error', (error) => rareLog.error(error, {}, 'a connection was not accepted'));
    boundReceiveBuffer(this.#http, LIMITS.receiveBytes.value);
    const address = /** @type {import('node:net').AddressInfo} */ (this.#http.address());
    return address.port;
  }

  /** Reads the certificate again. When that fails, new connections go on with the one before. */
  async reloadCertificate() {
    try {
      await this.#loadCertificate();
    } catch (error) {
      this.log.error({ error: messageOf(error) }, 'the certificate in use stays');
    }
  }

  /**
   * Reads the certificate from its files, for new connections.
   * @throws {PitvError} PITV_TLS_FILE, PITV_TLS_INVALID, PITV_TLS_MISMATCH
   */
  async #loadCertificate() {
    if (!(this.#http instanceof HttpsServer)) return;
    const { cert, key, validTo, expired } = await readCertificate(this.settings);
    this.#http.setSecureContext({ cert, key });
    if (expired) this.log.warn({ validTo }, 'the certificate has expired, or the clock is wrong');
    else this.log.info({ validTo }, 'the certificate was read');
  }

  /**
   * How free the main thread is and how long players wait, in ms, since the start or the last
   * resetMeasurements().
   */
  measurements() {
    return { loop: this.#loopDelay.snapshot(), latency: this.latency.snapshot() };
  }

  resetMeasurements() {
    this.#loopDelay.reset();
    this.latency.reset();
  }

  /** Says good-bye and lets nobody in any more. */
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

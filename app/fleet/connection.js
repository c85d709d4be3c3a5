/** The connection of a node to the servers of its fleet. */
import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { PitvError, messageOf } from '../errors.js';
import { explainRefusal, readCredentials, tlsOptions } from './credentials.js';
import { CONNECTIONS } from './server-config.js';

const RECONNECT_MS = 100;
const PING_MS = 300;
const MAX_PINGS = 2;
/** The longest time until a server that answers nothing is left for another one. */
export const SILENT_MS = PING_MS * (MAX_PINGS + 1);
const CONNECT_TIMEOUT_MS = 2000;
const ASK_MS = 200;
/** How long JetStream may take to answer. Before its servers have a leader, it never answers. */
const ANSWER_MS = 2000;
/** Before the name of a node in that of its connection. */
const CLIENT = 'pitv ';
/** Code of JetStream's error for a bucket that is not there: the only server has started again. */
const NOT_FOUND = 10059;
/** Copies of each value: JetStream's majority needs three servers. */
const REPLICAS = 3;

/** @typedef {import('@nats-io/transport-node').NatsConnection} NatsConnection */
/** @typedef {import('@nats-io/transport-node').NatsConnectionImpl} NatsConnectionImpl */
/** @typedef {import('@nats-io/transport-node').Msg} Msg */

/** Explains why JetStream does not do what it was asked for. @param {unknown} error @returns {PitvError} */
export function explainJetStream(error) {
  if (error instanceof PitvError) return error;
  const sentence = `The fleet does not answer: ${messageOf(error)}. Its servers need JetStream, and a majority of them has to run.`;
  return new PitvError('PITV_FLEET_AWAY', sentence, { cause: error });
}

/** Tells whether the bucket is not there that was asked for. @param {unknown} error */
export const isMissing = (error) => Reflect.get(Object(error), 'code') === NOT_FOUND;

export class FleetConnection {
  #isConnected = true;
  /** Names of all servers that have ever answered askServers(). @type {Set<string>} */
  #servers = new Set();
  /** Is called when there is a server again. */
  onReconnect = () => {};

  /** @param {NatsConnection} nats @param {import('pino').Logger} log */
  constructor(nats, log) {
    this.nats = nats;
    this.log = log;
    void this.#watch();
  }

  /** Follows whether there is a server. */
  async #watch() {
    for await (const { type, server = '' } of /** @type {any} */ (this.nats.status())) {
      if (type === 'staleConnection') this.#discard(); // it has answered no pings
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      this.#isConnected = type === 'reconnect';
      this.log.info({ server: String(server) }, `fleet: ${type}ed`);
      if (this.#isConnected) this.onReconnect();
    }
  }

  /**
   * Goes on with another server.
   * @param {string} [wanted] its host and port; by default, or if there is no such one, it is the next one
   */
  leaveServer(wanted) {
    if (!this.#isConnected || this.isClosed) return;
    void this.nats.reconnect();
    this.#discard(wanted);
  }

  /**
   * Makes the client close the connection, which it has been asked for, at once. By itself, it would first wait until
   * the server has read everything, and then try to connect to it again: it is the next one as long as it was the only
   * one.
   * @param {string} [wanted] see leaveServer()
   */
  #discard(wanted) {
    const { servers, transport } = /** @type {NatsConnectionImpl} */ (this.nats).protocol;
    const current = servers.getCurrentServer();
    for (let left = servers.length(); left > 0 && servers.next()?.listen !== wanted; left--) {
      servers.selectServer();
    }
    if (servers.next() === current) servers.selectServer();
    transport.discard();
  }

  /**
   * Connects, and tries again until a server answers.
   * @param {object} options
   * @param {string[]} options.servers such as nats://10.0.0.1:4222
   * @param {string} options.credentialsFile
   * @param {string} options.caFile of the servers' certificates; empty: the system's
   * @param {string} options.node @param {import('pino').Logger} options.log
   * @throws {PitvError} PITV_FLEET_CREDENTIALS, PITV_FLEET_TLS, PITV_FLEET_AWAY: no server answers
   */
  static async open({ servers, credentialsFile, caFile, node, log }) {
    const authenticator = await readCredentials(credentialsFile);
    const tls = await tlsOptions(servers, caFile);
    try {
      const nats = await connect({
        servers,
        authenticator,
        name: CLIENT + node,
        timeout: CONNECT_TIMEOUT_MS,
        reconnectTimeWait: RECONNECT_MS,
        maxReconnectAttempts: -1,
        pingInterval: PING_MS,
        maxPingOut: MAX_PINGS,
        noEcho: true,
        noRandomize: true, // the first one is the nearest
        ...(tls && { tls }),
      });
      return new FleetConnection(nats, log);
    } catch (error) {
      throw explainRefusal(error, servers);
    }
  }

  get isClosed() {
    return this.nats.isClosed();
  }

  /** Name of the server that this node uses. */
  get server() {
    return this.nats.info?.server_name ?? '';
  }

  /** Host and port of that server. */
  get address() {
    return this.isClosed ? '' : this.nats.getServer();
  }

  /**
   * Asks all servers which nodes are connected to them.
   * @returns {Promise<{servers: number, nodes: string[]} | undefined>} servers: how many have answered; undefined: one
   *   that has answered before has not
   * @throws {Error} when this node has no server, or may not ask
   */
  async askServers() {
    /** @type {Map<string, string[]>} */
    const answers = new Map();
    const options = /** @type {const} */ ({ maxWait: ASK_MS, strategy: 'timer' });
    for await (const message of await this.nats.requestMany(CONNECTIONS, '{}', options)) {
      const { server, data } = /** @type {any} */ (message.json());
      const names = data.connections.map((/** @type {any} */ { name = '' }) => String(name));
      answers.set(String(server.name), names);
    }
    for (const name of answers.keys()) this.#servers.add(name);
    if (answers.size < this.#servers.size) return undefined;
    const names = [...answers.values()].flat().filter((name) => name.startsWith(CLIENT));
    return { servers: answers.size, nodes: names.map((name) => name.slice(CLIENT.length)) };
  }

  /**
   * Opens a bucket, and creates it if there is none. With three servers it has three copies, or gets them.
   * @param {string} name
   * @param {{storage: 'file' | 'memory', timeout?: number}} options timeout: see bindBucket()
   * @returns {Promise<import('@nats-io/kv').KV>}
   */
  async openBucket(name, { storage, timeout }) {
    const kvm = this.#kvm(ANSWER_MS);
    const options = { storage, history: 1, allow_direct: false };
    await kvm.create(name, { ...options, replicas: REPLICAS }).catch((error) => {
      // Without an error of JetStream, its servers are still starting.
      if (!(error instanceof JetStreamApiError)) throw error;
      this.log.debug({ name, error: messageOf(error) }, 'a bucket has fewer copies');
      return kvm.create(name, { ...options, replicas: 1 });
    });
    this.#addCopies(name).catch((error) => {
      this.log.debug({ name, error: messageOf(error) }, 'a bucket gets no copies');
    });
    return this.bindBucket(name, timeout);
  }

  /**
   * Gives a bucket that was made with fewer servers all of its copies, if there are enough servers now.
   * @param {string} name
   * @returns {Promise<import('@nats-io/jetstream').ClusterInfo | undefined>} its servers, if it had them before
   */
  async #addCopies(name) {
    const jsm = await jetstreamManager(this.nats, { timeout: ANSWER_MS });
    const stream = `KV_${name}`;
    const { config, cluster } = await jsm.streams.info(stream);
    if (config.num_replicas === REPLICAS) return cluster;
    await jsm.streams.update(stream, { num_replicas: REPLICAS }).catch((error) => {
      if (!(error instanceof JetStreamApiError)) throw error;
    });
    return undefined;
  }

  /**
   * Reads the values of a bucket whose keys have two parts, one after the other. A consumer, which the client's
   * history() makes, would be a further state that all servers have to agree on and to save.
   * @param {string} name
   */
  async *readBucket(name) {
    const jsm = await jetstreamManager(this.nats, { checkAPI: false, timeout: ANSWER_MS });
    for (let seq = 1; ;) {
      const query = { seq, next_by_subj: `$KV.${name}.*.>` };
      const message = await jsm.streams.getMessage(`KV_${name}`, query);
      if (!message) return;
      if (!message.header.has('KV-Operation')) yield message; // it is no mark of what was deleted
      seq = message.seq + 1;
    }
  }

  /**
   * Opens a bucket of another node. Asks nobody: the server that answers questions about buckets may have died with
   * that node.
   * @param {string} name @param {number} [timeout] of a read, ms @returns {Promise<import('@nats-io/kv').KV>}
   */
  bindBucket(name, timeout = ANSWER_MS) {
    return this.#kvm(timeout).open(name, { allow_direct: false });
  }

  /** @param {number} timeout of a request, ms */
  #kvm(timeout) {
    return new Kvm(jetstream(this.nats, { timeout }));
  }

  /**
   * Gives a bucket that was made with fewer servers all of its copies, and makes another server than the own one lead
   * it.
   * @param {string} name @returns {Promise<boolean>} false: the own server leads it, although another one could
   */
  async leadElsewhere(name) {
    const cluster = await this.#addCopies(name);
    if (!cluster) return true;
    if (cluster.leader !== this.server) return Boolean(cluster.leader);
    if (cluster.replicas?.some((replica) => replica.current && !replica.offline)) {
      await this.nats.request(`$JS.API.STREAM.LEADER.STEPDOWN.KV_${name}`);
    }
    return false;
  }

  /**
   * Receives messages.
   * @param {string} subject @param {(message: Msg) => void} onMessage must not throw @returns {() => void} ends it
   */
  subscribe(subject, onMessage) {
    const subscription = this.nats.subscribe(subject, {
      callback: (error, message) => {
        if (!error) onMessage(message);
      },
    });
    return () => subscription.unsubscribe();
  }

  /**
   * Sends a message, unless there is no server: it would arrive late.
   * @param {string} subject @param {Uint8Array | string} payload
   */
  publish(subject, payload) {
    if (this.#isConnected && !this.isClosed) this.nats.publish(subject, payload);
  }

  async close() {
    await this.nats.close();
  }
}

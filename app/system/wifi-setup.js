/**
 * Sets up the Wi-Fi of a board that has no network. The system opens an access point and writes its state into a
 * directory (image/common, access-point). The TV shows it on the television's console, serves a page in its network,
 * and hands over what is entered there. The system checks it by the rules of pitv.txt, tries it and stores it.
 */
import { EventEmitter } from 'node:events';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { PitvError, messageOf } from '../errors.js';
import { decodeName } from './board.js';

const MAX_SCAN_BYTES = 256 * 1024;
const MAX_NETWORKS = 40;
/** The network of the access point: its first 24 bits. */
const PREFIX_BITS = 24;
/** A longer value is wrong anyway; the system checks the exact lengths. */
const MAX_VALUE_BYTES = 256;
/** Name of the request in --runtime-dir. */
const REQUEST = 'wifi';

/**
 * @typedef {object} AccessPoint
 * @property {'open' | 'joining'} phase joining: it is closed while the system tries another network
 * @property {string} name @property {string} password
 * @property {string} address of the TV in its network
 * @property {string} problem of the last try, as a sentence; empty if there was none
 */

/** Emits 'change' when the access point opens, closes or reports a problem. */
export class WifiSetup extends EventEmitter {
  #parts;
  /** Loaded when the access point opens. @type {import('./captive-dns.js').CaptiveDns | undefined} */
  #dns;
  #closed = false;
  /** @type {import('node:fs').FSWatcher | undefined} */
  #watcher;
  /** The last state, as the system has written it. */
  #text = '';
  /** One read at a time, so that the last one has the newest state. */
  #reading = Promise.resolve();
  /** Clients of the access point. */
  #clients = new BlockList();
  /** @type {AccessPoint | undefined} */
  accessPoint;

  /**
   * @param {object} parts @param {Pick<import('../config/settings.js').Settings, 'wifiDir'>} parts.settings
   * @param {import('./runtime-dir.js').RuntimeDir} parts.runtimeDir @param {import('pino').Logger} parts.log
   */
  constructor(parts) {
    super();
    this.#parts = parts;
  }

  /** Starts to watch the directory. */
  async open() {
    const { settings, log } = this.#parts;
    if (settings.wifiDir === '') return;
    try {
      this.#watcher = watch(settings.wifiDir, { persistent: false }, () => void this.#readNext());
      this.#watcher.on('error', () => {});
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'the state of the access point cannot be read');
    }
    await this.#readNext();
  }

  #readNext() {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  async #read() {
    const path = join(this.#parts.settings.wifiDir, 'state');
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text === this.#text) return;
    this.#text = text;
    this.accessPoint = parseState(text);
    this.#clients = new BlockList();
    if (this.accessPoint?.phase === 'open') {
      const { address } = this.accessPoint;
      this.#clients.addSubnet(address, PREFIX_BITS, 'ipv4');
      const { CaptiveDns } = await import('./captive-dns.js');
      if (this.#closed) return;
      this.#dns ??= new CaptiveDns(this.#parts.log);
      void this.#dns.open(address);
    } else {
      this.#dns?.close();
    }
    this.emit('change');
  }

  /**
   * Tells whether a connection came through the open access point. Only its network has a route to its addresses, so
   * nobody else can use one.
   * @param {import('node:net').Socket} socket
   */
  isClient({ remoteAddress = '', localAddress = '' }) {
    const plain = (/** @type {string} */ address) => address.replace(/^::ffff:/, '');
    return (
      this.accessPoint?.phase === 'open' &&
      plain(localAddress) === this.accessPoint.address &&
      this.#clients.check(plain(remoteAddress))
    );
  }

  /** Lists the networks that were in range before the access point opened. */
  async networks() {
    const path = join(this.#parts.settings.wifiDir, 'scan');
    const text = await readFile(path, 'latin1').catch(() => '');
    return parseScan(text.slice(0, MAX_SCAN_BYTES), this.accessPoint?.name ?? '');
  }

  /**
   * Requests that the system joins a network.
   * @param {{name: string, password: string, country: string}} network password: empty for an open one; country: two
   *   letters
   * @throws {PitvError} PITV_BODY_INVALID, PITV_WIFI_PASSWORD, PITV_WIFI_BUSY, PITV_SYSTEM_NOT_OURS
   */
  async join({ name, password, country }) {
    for (const [setting, value] of Object.entries({ name, password, country })) {
      // A line end would be another setting.
      const sentence = `${setting} is too long or has a control character.`;
      if (/\p{Cc}/u.test(value) || Buffer.byteLength(value) > MAX_VALUE_BYTES)
        throw new PitvError('PITV_BODY_INVALID', sentence);
    }
    // The TV would join any open network of that name.
    const known = (await this.networks()).find((each) => each.name === name);
    if (known?.secured && password === '')
      throw new PitvError('PITV_WIFI_PASSWORD', `Enter the password of ${name}.`);
    const { runtimeDir } = this.#parts;
    if ((await runtimeDir.isRequested(REQUEST)) || this.accessPoint?.phase !== 'open')
      throw new PitvError('PITV_WIFI_BUSY', 'The TV is trying another Wi-Fi. Wait for it.');
    const lines = [
      `wifi-name-hex = ${Buffer.from(name).toString('hex')}`,
      ...(password ? [`wifi-password = "${password}"`] : []),
      ...(country ? [`wifi-country = ${country}`] : []),
    ];
    // The problem of the last try is no answer to this one, whose problem may be the same.
    this.accessPoint = { ...this.accessPoint, problem: '' };
    this.#text = '';
    await runtimeDir.request(REQUEST, `${lines.join('\n')}\n`);
    this.#parts.log.info('a Wi-Fi was entered on the page of the access point');
  }

  close() {
    this.#closed = true;
    this.#watcher?.close();
    this.#dns?.close();
  }
}

/** Reads lines of `name=value`. @param {string} text @returns {AccessPoint | undefined} undefined: there is none */
function parseState(text) {
  const lines = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const { phase, name, password, address, problem } = Object.fromEntries(lines);
  if (phase !== 'open' && phase !== 'joining') return undefined;
  return { phase, name, password, address, problem };
}

/** @typedef {{name: string, secured: boolean, signalDbm: number}} Network secured: it needs a password */

/**
 * Lists the networks in the output of `iw dev NAME scan`. Each name is listed once, with its strongest access point.
 * @param {string} text
 * @param {string} own name of the TV's own network, which is left out
 * @returns {Network[]} the strongest first
 */
export function parseScan(text, own) {
  /** @type {Map<string, Network>} */
  const networks = new Map();
  for (const station of text.split(/^BSS /m).slice(1)) {
    const name = decodeName(/^\tSSID: (.*)$/m.exec(station)?.[1] ?? '');
    const signalDbm = Number(/^\tsignal: (-?[\d.]+) dBm$/m.exec(station)?.[1] ?? NaN);
    if (name === '' || name === own || Number.isNaN(signalDbm)) continue;
    if (signalDbm <= (networks.get(name)?.signalDbm ?? -Infinity)) continue;
    const secured = /^\t(RSN|WPA):/m.test(station) || /^\tcapability: .*\bPrivacy\b/m.test(station);
    networks.set(name, { name, secured, signalDbm });
  }
  return [...networks.values()].sort((a, b) => b.signalDbm - a.signalDbm).slice(0, MAX_NETWORKS);
}

/** The state that screens, the machine's console and the admin page show: the TV's addresses and problems. */
import { EventEmitter } from 'node:events';
import { messageOf } from '../errors.js';
import { hasNetwork, isEverywhere, mdnsName, reachableUrls } from './addresses.js';
import { qrCode } from './banner.js';
import { findProblems } from './problems.js';

/** Addresses change when Wi-Fi comes and goes. */
const POLL_MS = 10_000;

/** Says how to choose a Wi-Fi. @param {import('./wifi-setup.js').AccessPoint} accessPoint */
const invitation = ({ name, password, address }) =>
  `This TV has no network. With a phone, join the Wi-Fi ${name} (password: ${password}), then open http://${address} and choose yours.`;

const NO_NETWORK =
  'This TV has no network, so phones cannot join. Plug in a network cable, or wait for the Wi-Fi.';

/** Emits 'change' when the addresses or the problems have changed. */
export class Status extends EventEmitter {
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #closed = false;
  #parts;
  /** The last addresses, as JSON. */
  #state = '';
  port = 0;
  /** Sentences for people. @type {string[]} */
  problems = [];
  /** Origins, the best one for a phone first. @type {string[]} */
  urls = [];
  /** The address in the QR code. */
  joinUrl = '';
  /** The QR code as SVG; empty without a network. */
  qr = '';

  /**
   * @param {object} parts
   * @param {Pick<import('../config/settings.js').Settings, 'host' | 'publicUrl' | 'problemsDir' | 'dataDir'> &
   *   {tlsCert?: string}} parts.settings
   * @param {import('pino').Logger} parts.log @param {string} parts.version
   * @param {{code: string, linkCode: string}} parts.joinCode for people, and for the QR code
   * @param {import('./runtime-dir.js').RuntimeDir} parts.runtimeDir
   * @param {EventEmitter & {accessPoint?: import('./wifi-setup.js').AccessPoint}} parts.wifiSetup
   * @param {() => Parameters<typeof findProblems>[1]} parts.problems sources of findProblems()
   * @param {() => boolean} [parts.hasNetwork]
   */
  constructor(parts) {
    super();
    this.#parts = parts;
  }

  get scheme() {
    return this.#parts.settings.tlsCert ? 'https' : 'http';
  }

  /** The address for programs on this machine. */
  get localUrl() {
    const { host } = this.#parts.settings;
    const name = host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? '[::1]' : host;
    return `${this.scheme}://${name}:${this.port}`;
  }

  /** Starts to poll. @param {number} port of the pages @returns {Promise<void>} resolves after the first update */
  async open(port) {
    this.port = port;
    this.#parts.wifiSetup.on('change', () => void this.update());
    await this.update();
    if (!this.#closed) this.#timer = setInterval(() => void this.update(), POLL_MS).unref();
  }

  /** Reads addresses and problems, and writes the text of the console. */
  async update() {
    if (this.#closed) return;
    const { settings, joinCode, version, runtimeDir, wifiSetup, log } = this.#parts;
    const { accessPoint } = wifiSetup;
    const [found] = await Promise.all([
      findProblems(settings, this.#parts.problems()),
      this.#updateAddresses(),
    ]);
    // The console has a text of its own; this one is for a browser on the television.
    const problems = [...found];
    if (accessPoint?.phase === 'open') problems.unshift(invitation(accessPoint));
    else if (!accessPoint && !this.#hasNetwork()) problems.unshift(NO_NETWORK);
    if (problems.join('\n') !== this.problems.join('\n')) {
      this.problems = problems;
      this.emit('change');
    }
    const { urls, joinUrl } = this;
    try {
      await runtimeDir.show({
        urls,
        joinUrl,
        code: joinCode.code,
        problems: found,
        version,
        hasNetwork: this.qr !== '',
        accessPoint,
      });
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'the text of the console cannot be written');
    }
  }

  async #updateAddresses() {
    const { host, publicUrl } = this.#parts.settings;
    const { scheme, port } = this;
    const mdns = await mdnsName(); // its responder may start later than the TV
    const urls = reachableUrls({ scheme, host, port, publicUrl, mdns });
    const joinUrl = `${urls[0]}/p?c=${this.#parts.joinCode.linkCode}`;
    const isReachable = !this.#parts.wifiSetup.accessPoint && this.#hasNetwork();
    const state = JSON.stringify([urls, isReachable]);
    if (state === this.#state) return;
    this.#state = state;
    this.urls = urls;
    this.joinUrl = joinUrl;
    this.qr = isReachable ? qrCode(joinUrl, { type: 'svg', margin: 1 }) : '';
    this.emit('change');
  }

  /** Tells whether phones may reach this machine. A TV on one address only is for those who know that one. */
  #hasNetwork() {
    const { settings, hasNetwork: has = hasNetwork } = this.#parts;
    return !isEverywhere(settings.host) || has();
  }

  close() {
    this.#closed = true;
    clearInterval(this.#timer);
  }
}

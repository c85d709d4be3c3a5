/**
 * Files of a node that the others read: what games show and play. They are sent in small parts, each when it
 * is asked for, so that frames do not wait and no memory fills up. Requests go to `pitv.file.NODE`; the answer is one
 * byte before the part, or nothing when there is no such file.
 */
import { open } from 'node:fs/promises';
import { PitvError, messageOf } from '../errors.js';
import { isWhole } from '../storage/checks.js';

const SUBJECT = 'pitv.file.';
const TIMEOUT_MS = 5000;
const PART_BYTES = 32 * 1024;
const FOUND = 1;

/** @typedef {(about: any) => string | Promise<string>} PathOf returns the path of a file, or throws */

export class FleetFiles {
  #fleet;
  /** @type {Map<string, PathOf>} */
  #kinds = new Map();
  #end = () => {};

  /** @param {import('./fleet.js').Fleet} fleet */
  constructor(fleet) {
    this.#fleet = fleet;
  }

  /** Serves files of a kind. @param {string} kind @param {PathOf} pathOf checks the request */
  serve(kind, pathOf) {
    this.#kinds.set(kind, pathOf);
  }

  open() {
    const { connection, node } = this.#fleet;
    this.#end = connection.subscribe(`${SUBJECT}${node}`, (message) => void this.#answer(message));
  }

  /** @param {import('@nats-io/transport-node').Msg} message */
  async #answer(message) {
    try {
      const { kind, about, at, length } = /** @type {any} */ (Object(message.json()));
      const pathOf = this.#kinds.get(kind);
      if (!pathOf || !isWhole(at, 0) || !isWhole(length, 1, PART_BYTES)) return;
      const file = await open(await pathOf(Object(about)));
      try {
        const bytes = Buffer.alloc(1 + length, FOUND);
        const { bytesRead } = await file.read(bytes, 1, length, at);
        message.respond(bytes.subarray(0, 1 + bytesRead));
      } finally {
        await file.close();
      }
    } catch (error) {
      this.#fleet.log.debug({ error: messageOf(error) }, 'a part of a file is not sent');
      message.respond();
    }
  }

  /**
   * Reads a file of another node, one part after the other, as fast as they are taken.
   * @param {string} node @param {string} kind @param {object} about which file
   * @param {number} maxBytes the rest is not read @returns {AsyncGenerator<Uint8Array>}
   * @throws {PitvError} PITV_FLEET_AWAY
   */
  async *read(node, kind, about, maxBytes) {
    const { connection } = this.#fleet;
    for (let at = 0; at < maxBytes;) {
      const length = Math.min(PART_BYTES, maxBytes - at);
      const request = JSON.stringify({ kind, about, at, length });
      const answer = await connection.nats
        .request(`${SUBJECT}${node}`, request, { timeout: TIMEOUT_MS })
        .catch(() => undefined);
      const part = answer?.data.subarray(1);
      if (!part || answer?.data[0] !== FOUND || part.length > length) {
        throw new PitvError('PITV_FLEET_AWAY', `The node "${node}" does not send a file.`);
      }
      yield part;
      at += part.length;
      if (part.length < length) return;
    }
  }

  close() {
    this.#end();
  }
}

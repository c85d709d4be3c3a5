/** A phone or a screen of a fleet: a client that can move to another node, as the same player. */
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '../profile/clients.js';

const POLL_MS = 5;

/** @typedef {{[key: string]: any, t: string}} Message */

export class Client {
  /** @type {Message[]} */
  messages = [];
  /** Times at which frames have come, ms. @type {number[]} */
  frames = [];
  /** @type {import('ws').WebSocket | undefined} */
  socket;
  #hello;
  #code;

  /** @param {object} hello role and the like @param {string} [code] */
  constructor(hello, code = '') {
    this.#hello = hello;
    this.#code = code;
  }

  /** Connects to a node, also after another one. @param {{url: string}} node @returns {Promise<this>} */
  async connect({ url }) {
    this.socket?.terminate();
    const token = this.last('welcome')?.token;
    const hello = { ...this.#hello, ...(token && { token }) };
    this.socket = await connect({ url, code: this.#code }, hello, {
      message: (message) => this.messages.push(message),
      frame: () => this.frames.push(performance.now()),
    });
    return this;
  }

  /** @param {object} message */
  send(message) {
    this.socket?.send(JSON.stringify(message));
  }

  /** The newest message of a type. @param {string} type @returns {Message | undefined} */
  last(type) {
    return this.messages.findLast(({ t }) => t === type);
  }

  /**
   * Waits for a message.
   * @param {string} type @param {(message: Message) => boolean} [isIt]
   * @param {number} [from] index of the first message
   * @returns {Promise<Message>}
   */
  wait(type, isIt = () => true, from = 0, timeoutMs = 10_000) {
    const find = () =>
      this.messages.slice(from).find((message) => message.t === type && isIt(message));
    const what = () => `message "${type}" (last error: ${this.last('error')?.code ?? 'none'})`;
    return poll(find, what, timeoutMs);
  }

  /**
   * Waits until frames come again.
   * @param {number} since ms @returns {Promise<number>} when the first one has come, ms
   */
  nextFrame(since, timeoutMs = 15_000) {
    return poll(
      () => this.frames.find((time) => time > since),
      () => 'frame',
      timeoutMs,
    );
  }

  close() {
    this.socket?.terminate();
  }
}

/**
 * Asks until there is an answer.
 * @template T
 * @param {() => T | undefined} question @param {() => string} what for the error @param {number} timeoutMs
 * @returns {Promise<T>}
 */
async function poll(question, what, timeoutMs) {
  for (const end = performance.now() + timeoutMs; performance.now() < end;) {
    const answer = question();
    if (answer !== undefined) return answer;
    await delay(POLL_MS);
  }
  throw new Error(`no ${what()}`);
}

/** Opens a screen at a node. @param {{url: string}} node */
export const openScreen = (node) => new Client({ role: 'screen' }).connect(node);
/** Opens a pad at a node. @param {{url: string}} node @param {string} code @param {string} name */
export const openPad = (node, code, name) => new Client({ role: 'pad', name }, code).connect(node);

/**
 * Delays opening an engine, so that a TV can serve its pages first. On a small board, choosing and warming up an engine
 * takes as long as the rest of the start.
 */

/** @typedef {import('./index.js').Engine} Engine */

/** Has the methods of an Engine. createMailbox() throws until open() has resolved; start() waits for it. */
export class LazyEngine {
  /** @type {Engine | undefined} */
  #engine;
  #openEngine;
  /** @type {Promise<Engine> | undefined} */
  #opened;

  /**
   * @param {string} name shown until the engine is open
   * @param {() => Promise<Engine>} open is called once
   */
  constructor(name, open) {
    this.wanted = name;
    this.#openEngine = open;
  }

  /**
   * Opens the engine. Later calls return the same promise.
   * @returns {Promise<Engine>} rejects with the error of the callback
   */
  open() {
    if (!this.#opened) {
      this.#opened = this.#openEngine().then((engine) => (this.#engine = engine));
      this.#opened.catch(() => {}); // callers of open() and start() handle the error
    }
    return this.#opened;
  }

  get name() {
    return this.#engine?.name ?? this.wanted;
  }
  get choice() {
    return this.#engine?.choice;
  }
  get workers() {
    return this.#engine?.workers ?? [];
  }

  /** @param {import('./mailbox/mailbox.js').MailboxSizes} sizes */
  createMailbox(sizes) {
    if (!this.#engine) throw new TypeError('the engine is not open yet');
    return this.#engine.createMailbox(sizes);
  }
  /** @param {import('./mailbox/mailbox.js').Mailbox} mailbox */
  freeMailbox(mailbox) {
    this.#engine?.freeMailbox(mailbox);
  }

  /** @param {Parameters<Engine['start']>} request */
  async start(...request) {
    const engine = await this.open();
    return engine.start(...request);
  }
  /** @param {Parameters<Engine['stats']>} options */
  async stats(...options) {
    return this.#engine?.stats(...options) ?? [];
  }

  /** @param {Parameters<Engine['close']>} options */
  async close(...options) {
    const engine = await this.#opened?.catch(() => undefined);
    await engine?.close(...options);
  }
}

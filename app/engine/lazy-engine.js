/**
 * Stands in for an engine that is still being opened, so that a TV shows its pages meanwhile: on a small
 * board to choose an engine, and to warm it up, takes as long as all the rest of the start. With one core
 * each would hold the other up, so it begins only when somebody wants it.
 */

/** @typedef {import('./index.js').Engine} Engine */

/** As an engine, but for createMailbox(), which wants `opened` to be waited for. */
export class LazyEngine {
  /** @type {Engine | undefined} */
  #engine;
  #open;
  /** @type {Promise<Engine> | undefined} */
  #opened;

  /**
   * @param {string} name for the time being
   * @param {() => Promise<Engine>} open called once
   */
  constructor(name, open) {
    this.wanted = name;
    this.#open = open;
  }

  /** Whoever asks has it opened. Rejects with the reason when it cannot be. */
  get opened() {
    if (!this.#opened) {
      this.#opened = this.#open().then((engine) => (this.#engine = engine));
      this.#opened.catch(() => {}); // told to who waits for it
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
    const engine = await this.opened;
    return engine.start(...request);
  }
  async stats() {
    return this.#engine?.stats() ?? [];
  }

  /** @param {Parameters<Engine['close']>} how */
  async close(...how) {
    const engine = await this.#opened?.catch(() => undefined);
    await engine?.close(...how);
  }
}

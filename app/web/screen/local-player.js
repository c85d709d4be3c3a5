import { Connection, socketUrl } from '../lib/connection.js';
import { loadItem, saveItem } from '../lib/dom.js';
import { InputSender } from '../lib/input-sender.js';

/** @typedef {import('../lib/types.js').MatchId} MatchId */

/**
 * A player without a phone. It has a connection of its own, like a phone, so that the TV's limits on players and
 * connections apply.
 */
export class LocalPlayer {
  /** The match that it plays. @type {MatchId | null} */
  match = null;
  /** @type {{name: string, color: string} | null} null until the TV has admitted it */
  me = null;
  #connection;
  #sender = new InputSender((bytes) => this.match !== null && this.#connection.sendBytes(bytes));
  /** Whether buttons count as released until they are. */
  #muted = false;
  #options;

  /**
   * @param {object} options
   * @param {string} options.device identifies keyboard or gamepad; the browser remembers its player
   * @param {string} options.name
   * @param {() => string} options.code returns the join code
   * @param {(player: LocalPlayer) => void} options.onWelcome
   * @param {(error?: {code: string, message: string}) => void} options.onEnd called when the TV does not admit it, or
   *   has removed it
   * @param {(ms: number) => void} [options.rumble]
   */
  constructor(options) {
    this.#options = options;
    const item = `pitv.screen.player.${options.device}`;
    this.#connection = new Connection({
      url: socketUrl(),
      hello: () => ({
        t: 'hello',
        role: 'pad',
        code: options.code(),
        name: options.name,
        token: loadItem(item) ?? undefined,
      }),
      onMessage: (message) => {
        if (message.t === 'welcome') saveItem(item, message.token);
        this.#handlers[message.t]?.(message);
      },
      onDismissed: () => options.onEnd(),
    });
    this.#connection.open();
  }

  /** Handlers of messages, by their type. @type {Record<string, (message: any) => unknown>} */
  #handlers = {
    welcome: ({ player }) => {
      const isNew = this.me === null;
      this.me = player;
      if (isNew) this.#options.onWelcome(this);
    },
    lobby: ({ me }) => me.match === null && (this.match = null),
    match: ({ match }) => {
      if (this.match !== match) this.mute();
      this.match = match;
    },
    ended: () => (this.match = null),
    rumble: ({ ms }) => this.#options.rumble?.(ms),
    error: (error) => {
      if (this.#connection.state === 'open') return;
      this.#connection.close();
      this.#options.onEnd(error);
    },
  };

  /** Joins a running match. @param {MatchId} match */
  join(match) {
    this.#connection.send({ t: 'join', match });
  }

  /** Sets the input. @param {{x: number, y: number, buttons: number}} input axes -127..127 */
  input({ x, y, buttons }) {
    if (buttons === 0) this.#muted = false;
    if (this.match !== null) this.#sender.update(x, y, this.#muted ? 0 : buttons);
  }

  /** Releases everything. Buttons that are held then count only after they were released. */
  mute() {
    this.#sender.release();
    this.#muted = true;
  }

  /** Leaves the match and the TV. */
  leave() {
    this.#connection.send({ t: 'leave' });
    this.#connection.close();
  }
}

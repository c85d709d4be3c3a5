/** What a bar or a school needs: one game that everybody plays, opening hours, and demos while nobody is there. */
import { PitvError, messageOf } from '../errors.js';

/** How often it is checked whether somebody is there. */
const CHECK_MS = 5000;
/** Owner of the demos. */
export const DEMO = 'demo';
const MINUTE_MS = 60_000;

/** @typedef {import('../packages/catalog.js').Game} Game */
/** @typedef {import('../match/match.js').Match} Match */
/** @typedef {{from: number, to: number}} Hours minutes since midnight, 0..1439; `to` may be the next day's */

/** @param {string} until such as 17:00 */
const closed = (until) => `No games until ${until}.`;

export class Venue {
  /** The volume that the admin has set for the screens, percent. @type {number | undefined} */
  volume;
  #options;
  /** @type {Parameters<Venue['open']>[0] | undefined} */
  #place;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** When somebody was there for the last time, ms. */
  #seenAt = 0;
  #demos = 0;
  /** @type {Promise<Match | undefined> | undefined} the demo that starts or runs */
  #demo;

  /**
   * @param {object} [options]
   * @param {string} [options.pinnedGame] id of the only game that is offered, if there is such a game; '': all are
   * @param {number} [options.attractMinutes] time without a phone after which demos are played; 0: never
   * @param {Hours} [options.openingHours] when matches may be started, in local time; undefined: always
   * @param {() => Date} [options.now] @param {() => number} [options.clock] monotonic, ms
   */
  constructor({
    pinnedGame = '',
    attractMinutes = 0,
    openingHours,
    now = () => new Date(),
    clock = () => performance.now(),
  } = {}) {
    this.#options = { pinnedGame, attractMs: attractMinutes * MINUTE_MS, openingHours, now, clock };
  }

  /** Returns the games that screens and phones offer. @param {Game[]} games @returns {Game[]} */
  offered(games) {
    const pinned = games.filter(({ id }) => id === this.#options.pinnedGame);
    return pinned.length > 0 ? pinned : games;
  }

  /** When matches may be started again, such as 17:00; undefined while they may. */
  get closedUntil() {
    const { openingHours: hours, now } = this.#options;
    if (!hours) return undefined;
    const time = now();
    const minute = time.getHours() * 60 + time.getMinutes();
    const { from, to } = hours;
    const isOpen = from < to ? minute >= from && minute < to : minute >= from || minute < to;
    const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
    return isOpen ? undefined : `${two(Math.floor(from / 60))}:${two(from % 60)}`;
  }

  /** Sentences for the lobby. @param {Game[]} games all of the TV @returns {string[]} */
  notices(games) {
    const { closedUntil } = this;
    const { pinnedGame: pinned } = this.#options;
    // Before the TV is open, not all of its games have been read.
    const lacksPinned = this.#place && pinned && !games.some(({ id }) => id === pinned);
    return [
      ...(closedUntil ? [closed(closedUntil)] : []),
      ...(lacksPinned ? [`The pinned game ${pinned} is not installed.`] : []),
    ];
  }

  /** Checks that others than the admin may start a game. @param {Game} game @param {Game[]} games all of the TV */
  admit(game, games) {
    const { closedUntil } = this;
    if (closedUntil) {
      throw new PitvError('PITV_CLOSED', closed(closedUntil), { details: { until: closedUntil } });
    }
    if (!this.offered(games).includes(game)) {
      throw new PitvError('PITV_GAME_UNKNOWN', 'This TV does not offer this game.');
    }
  }

  /**
   * Begins to play demos while nobody is there. Call it when all games have been read.
   * @param {object} place
   * @param {import('./lobby.js').Lobby} place.lobby @param {import('./party.js').Party} place.party
   * @param {() => boolean} place.hasScreen tells whether a screen of this TV would show a demo
   */
  open(place) {
    const { attractMs, clock } = this.#options;
    this.#place = place;
    this.#seenAt = clock();
    if (attractMs === 0) return;
    this.#timer = setInterval(() => this.check(), CHECK_MS).unref();
    place.lobby.players.on('change', () => this.check());
  }

  /** Starts or ends a demo, if one is due. Timers and phones call it. */
  check() {
    const { attractMs, clock } = this.#options;
    if (!this.#place) return;
    const { lobby, party, hasScreen } = this.#place;
    if (lobby.players.all.some(({ connected }) => connected)) {
      this.#seenAt = clock();
      void this.endDemo();
      return;
    }
    if (this.closedUntil) void this.endDemo();
    const isBusy = lobby.matches.length > 0 || party.progress !== null;
    if (isBusy && !this.#demo) this.#seenAt = clock();
    if (isBusy || this.#demo || this.closedUntil || !hasScreen()) return;
    if (clock() - this.#seenAt >= attractMs) this.#demo = this.#play(lobby);
  }

  /** Plays a demo, of the offered games in turn. @param {import('./lobby.js').Lobby} lobby */
  async #play(lobby) {
    const offered = this.offered(lobby.games);
    const played = offered.filter(({ players }) => players.max > 0);
    const games = played.length > 0 ? played : offered; // one without players has no end
    try {
      const game = games[this.#demos++ % games.length];
      const { match } = await lobby.start(game.id, { owner: DEMO });
      match.once('ended', () => (this.#demo = undefined));
      if (!match.end) return match;
    } catch (error) {
      lobby.log.warn({ error: messageOf(error) }, 'a demo cannot be played');
      this.#seenAt = this.#options.clock(); // the next one is tried after the same time
    }
    this.#demo = undefined;
    return undefined;
  }

  /** Ends the demo that starts or runs. @returns {Promise<void>} */
  async endDemo() {
    await (await this.#demo)?.stop();
  }

  /** Plays no more demos. */
  close() {
    clearInterval(this.#timer);
    this.#place = undefined;
  }
}

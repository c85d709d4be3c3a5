/**
 * The memory of a TV: the best results of each game, achievements, and the phones that played. A match counts when its
 * podium begins. The evening begins with the TV, or with the first match after six hours without one, whatever the
 * clock says. The clock is asked only for the week and for midnight.
 */
import { EventEmitter } from 'node:events';
import { messageOf } from '../errors.js';
import { PHASE } from '../game/frame.js';
import { isDraw, readPhase } from '../game/frame-reader.js';
import { MAX_PLAYERS } from '../game/vocabulary.js';
import { LIMITS } from '../limits/table.js';
import { PLAYER_COLORS } from '../match/player-colors.js';
import { scoresOf } from '../match/results.js';
import { knownTime } from '../process/clock.js';
import { anyText, integer, list, oneOf, optional, shape } from '../options.js';
import { PLAYER_NAME, SHA256 } from '../storage/checks.js';
import { parseFields } from '../storage/saved-files.js';
import { MatchTrack, findAchievements } from './match-track.js';
import { cleanName } from './player-name.js';
import { hashToken } from './tokens.js';

const FILE = 'records.json';
const FORMAT = 1;
const MAX_TEXT = 128;
const { value: MAX_ENTRIES } = LIMITS.memoryEntries;
const EVENING_GAP_MS = 6 * 3600 * 1000;
const WEEK_MS = 7 * 24 * 3600 * 1000;
/** Achievements that the lobby shows, the newest ones. */
const MAX_SHOWN = 3;
/** Matches won in a row that are a record, and lost ones that are an achievement. */
const MIN_WINS = 2;
const MANY_LOSSES = 5;
/** The widest first. */
const SPANS = /** @type {const} */ (['ever', 'week', 'evening']);

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('../match/results.js').Result} Result
 * @typedef {{id: number, name: string, color: string}} Person id: of the player, 0 for one of an earlier start
 * @typedef {Person & {hash: string, wins: number, losses: number}} Phone hash: of its token; wins, losses: in a row
 * @typedef {{key: string, span: typeof SPANS[number], value: number, people: Person[], at?: number}} Best value: tenths
 *   of a second for a time; at: ms since 1970, if the clock was set
 *
 * @typedef {object} News a record or an achievement
 * @property {Person[]} people @property {import('./match-track.js').Achievement} [award]
 * @property {number} [record] index in the game's records; their number for matches won in a row
 * @property {Best['span']} [span] of a record: the widest one
 * @property {number} [value]
 */

/** Lists what can be recorded in a game. @param {Pick<Match['game'], 'id' | 'records'>} game */
const recordsOf = ({ id, records = [] }) => [
  ...records.map((record) => {
    return { record, key: `${id} ${record.of} ${record.from ?? ''}`.slice(0, MAX_TEXT) };
  }),
  { record: undefined, key: 'wins' }, // in a row, of all games
];

const PERSON = { name: PLAYER_NAME, color: oneOf(PLAYER_COLORS) };
const PHONE = shape({ ...PERSON, hash: SHA256, wins: integer(0), losses: integer(0) });
const BEST = shape({
  key: anyText(MAX_TEXT),
  span: oneOf(SPANS),
  value: integer(1),
  people: list(shape(PERSON), 0, MAX_PLAYERS),
  at: optional(integer(0)),
});
const FIELDS = {
  bests: list(BEST, 0, MAX_ENTRIES),
  phones: list(PHONE, 0, MAX_ENTRIES),
  counted: optional(list(SHA256, 0, MAX_ENTRIES)),
};

/** @param {Buffer} bytes @returns {{bests: Best[], phones: Phone[], counted?: string[]}} @throws PITV_SAVED_INVALID */
function decode(bytes) {
  /** @type {ReturnType<typeof decode>} */
  const { bests, phones, counted } = parseFields(bytes, FORMAT, FIELDS);
  const people = [...phones, ...bests.flatMap((best) => best.people)];
  for (const person of people) {
    person.name = cleanName(person.name) || '?'; // somebody may have edited the file
    person.id = 0; // ids of the last start are given again
  }
  return { bests, phones, counted };
}

/** @param {Result} result @returns {Person} */
const personOf = ({ player, name, color }) => ({ id: player ?? 0, name, color });

/**
 * Puts an entry at the end of a list, in place of an older one. The first one of too many is forgotten.
 * @template T @param {T[]} list @param {T} entry @param {T} [old]
 */
function renew(list, entry, old) {
  if (old) list.splice(list.indexOf(old), 1);
  if (list.push(entry) > MAX_ENTRIES) list.shift();
}

/** Emits 'news' (match, News[]) at the podium of a match that has broken records or given achievements. */
export class Records extends EventEmitter {
  /** Those of the game that was played last at the end, for each record in the order of SPANS. @type {Best[]} */
  #bests = [];
  /** The one that played last is at the end. @type {Phone[]} */
  #phones = [];
  /** Those of the evening, each once for a player. @type {News[]} */
  #awards = [];
  /** When the last match was over, by steadyNow(). */
  #lastAt = -Infinity;
  /** Hashes of the tokens of matches that have counted, which may resume before their podium. @type {string[]} */
  #counted = [];
  /** Without a track if it has counted. @type {WeakMap<Match, {track?: MatchTrack, news: News[]}>} */
  #matches = new WeakMap();
  #writing = Promise.resolve();

  /** Returns ms of a clock that is never set. */
  steadyNow = () => performance.now();
  time = knownTime;

  /**
   * @param {{store: import('../storage/store.js').Store, lobby: import('./lobby.js').Lobby, log:
   *   import('pino').BaseLogger, writable: boolean}} parts writable: whether anything can be saved
   */
  constructor(parts) {
    super();
    this.parts = parts;
    parts.lobby.on('restart', (match) => this.#matches.get(match)?.track?.rewind());
  }

  /** Reads the file of the last start. */
  async load() {
    const saved = await this.parts.store.load(FILE, { parse: decode });
    this.#bests = saved?.bests ?? [];
    this.#phones = saved?.phones ?? [];
    this.#counted = saved?.counted ?? [];
  }

  /** Recalls a phone. @param {unknown} token that it has from an earlier day */
  recall(token) {
    if (typeof token !== 'string' || token.length > MAX_TEXT) return undefined;
    const hash = hashToken(token).toString('hex');
    const phone = this.#phones.find((one) => one.hash === hash);
    return phone && { ...phone, token };
  }

  /** Reads a frame. Pass each one that the TV has. @param {Match} match @param {Uint8Array} bytes */
  frame(match, bytes) {
    let known = this.#matches.get(match);
    if (!known) {
      // A match that resumes in its podium was counted before the TV restarted.
      const isOver = readPhase(bytes) === PHASE.matchOver;
      const hasCounted = isOver || this.#counted.includes(match.tokenHash.toString('hex'));
      known = { track: hasCounted ? undefined : new MatchTrack(match), news: [] };
      this.#matches.set(match, known);
    }
    if (!known.track?.read(bytes)) return;
    known.news = this.#count(match, bytes, known.track);
    known.track = undefined;
    if (known.news.length > 0) this.emit('news', match, known.news);
  }

  /** Returns the news of a match whose podium has begun. @param {Match} match @returns {News[]} */
  newsOf(match) {
    return this.#matches.get(match)?.news ?? [];
  }

  /** @param {Match} match that is over @param {Uint8Array} bytes @param {MatchTrack} track @returns {News[]} */
  #count({ game, seats, options, tokenHash }, bytes, track) {
    const scores = scoresOf(bytes, seats, game.teams);
    const playerOf = (/** @type {Result} */ { player }) =>
      this.parts.lobby.players.get(player ?? 0);
    // A bot has played for those whose phones are away.
    const people = scores.results.filter((result) => playerOf(result)?.connected);
    if (people.length === 0) return [];
    if (!this.#isEvening) {
      this.#awards = [];
      this.#bests = this.#bests.filter(({ span }) => span !== 'evening');
    }
    this.#lastAt = this.steadyNow();
    const draw = isDraw(scores.results, scores.teams);
    const phones = people.map((result) => {
      const hash = String(playerOf(result)?.tokenHash.toString('hex'));
      const old = this.#phones.find((phone) => phone.hash === hash);
      const wins = result.winner && !draw ? (old?.wins ?? 0) + 1 : 0;
      const losses = result.winner ? 0 : (old?.losses ?? 0) + 1;
      const phone = { ...personOf(result), hash, wins, losses };
      renew(this.#phones, phone, old);
      return phone;
    });
    const wins = Math.max(...phones.map((phone) => phone.wins));
    const winners = people.filter((_one, i) => phones[i].wins === wins);
    const isUsual = Object.entries(game.options ?? {}).every(
      ([name, { default: usual }]) =>
        name === 'botStrength' || (Reflect.get(options, name) ?? usual) === usual,
    );
    const broken = recordsOf(game).flatMap(({ record, key }, i) => {
      if (record && !isUsual) return [];
      const best = record
        ? track.best(record, bytes, people)
        : { value: wins < MIN_WINS ? 0 : wins, people: winners };
      const span = this.#compare(key, best, record?.of === 'time');
      return span
        ? [{ record: i, span, value: best.value, people: best.people.map(personOf) }]
        : [];
    });
    const now = this.time();
    const hour = now === undefined ? undefined : new Date(now).getHours();
    const losers = people.filter((_one, i) => phones[i].losses === MANY_LOSSES);
    const given = findAchievements(scores, people, losers, hour).flatMap(([award, who]) => {
      const had = this.#awards.flatMap((one) => (one.award === award ? one.people : []));
      const all = who.filter(({ player }) => !had.some(({ id }) => id === player)).map(personOf);
      return all.length > 0 ? [{ award, people: all }] : [];
    });
    for (const award of given) renew(this.#awards, award);
    renew(this.#counted, tokenHash.toString('hex'));
    this.#save();
    return [...broken, ...given];
  }

  /**
   * Compares a value with the best ones so far.
   * @param {string} key @param {ReturnType<MatchTrack['best']>} best @param {boolean} isTime less is better
   * @returns {Best['span'] | undefined} the widest one with a best that was broken
   */
  #compare(key, { value, people }, isTime) {
    const at = this.time();
    const isCurrent = this.#currentAt(at);
    /** @type {Best['span'] | undefined} */
    let broken;
    for (const span of value > 0 ? SPANS : []) {
      const known = this.#bests.find((best) => best.key === key && best.span === span);
      const old = known && isCurrent(known) ? known : undefined;
      const isBetter = !old || (isTime ? value < old.value : value > old.value);
      if (old && isBetter) broken ??= span;
      const isNew = isBetter && (span !== 'week' || at !== undefined);
      const best = isNew ? { key, span, value, people: people.map(personOf), at } : known;
      if (best) renew(this.#bests, best, known);
    }
    return broken;
  }

  get #isEvening() {
    return this.steadyNow() - this.#lastAt < EVENING_GAP_MS;
  }

  /**
   * Returns what tells whether a best is one of this week or evening.
   * @param {number} [now] of time(), which looks at the disk @returns {(best: Best) => boolean}
   */
  #currentAt(now) {
    const isEvening = this.#isEvening;
    return ({ span, at }) => {
      if (span === 'week') return !!at && now !== undefined && Math.abs(now - at) < WEEK_MS;
      return span === 'ever' || isEvening;
    };
  }

  /**
   * Describes what the lobby shows. A best is left out if it is also that of a wider span.
   * @param {Match['game'][]} games @returns {{games: Record<string, News[]>, awards: News[]}} games: by id
   */
  view(games) {
    const bests = this.#bests.filter(this.#currentAt(this.time()));
    const linesOf = (/** @type {Match['game']} */ game) =>
      recordsOf(game).flatMap(({ key }, record) =>
        bests
          .filter((best) => best.key === key)
          .filter(({ value }, i, all) => value !== all[i - 1]?.value)
          .map(({ span, value, people }) => ({ record, span, value, people })),
      );
    return {
      games: Object.fromEntries(games.map((game) => [game.id, linesOf(game)])),
      awards: this.#isEvening ? this.#awards.slice(-MAX_SHOWN) : [],
    };
  }

  /** Returns everything that is remembered, without what identifies phones. */
  export() {
    const phones = this.#phones.map(({ hash: _, ...phone }) => phone);
    return { records: this.#bests, phones, achievements: this.#awards };
  }

  /** Forgets everything, also on the disk. */
  erase() {
    [this.#bests, this.#phones, this.#awards, this.#counted] = [[], [], [], []];
    this.#save();
    this.parts.lobby.emit('change'); // screens show them
    return this.saved();
  }

  #save() {
    const bests = this.#bests.filter(({ span }) => span !== 'evening');
    const others = { phones: this.#phones, counted: this.#counted };
    const encode = () => JSON.stringify({ format: FORMAT, bests, ...others });
    let text = encode();
    // With many long names; a larger file would not be read again.
    while (Buffer.byteLength(text) > LIMITS.savedStateBytes.value && bests.shift()) text = encode();
    if (!this.parts.writable) return;
    const write = () => this.parts.store.write(FILE, text);
    this.#writing = this.#writing.then(write).catch((error) => {
      this.parts.log.warn({ error: messageOf(error) }, 'the records cannot be saved');
    });
  }

  /** Waits until all changes are written to the disk. */
  saved() {
    return this.#writing;
  }
}

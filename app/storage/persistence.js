/**
 * What a TV remembers over its own end: matches and who was in. Written when it goes off in peace
 * (sessions.js), and with --checkpoint-seconds while it runs (live.js). A match that is taken up again
 * stays on disk until it is over, so that power may go at any moment, also during a start.
 */
import { messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { LiveFiles, LiveKeeper } from './match-checkpoints.js';
import { isObject, isWhole } from './checks.js';
import { parseJson, unusable } from './saved-files.js';

/** A match with which the TV did not come up this often is given up. */
const TRIES_MOST = 3;
const TRIES_FILE = 'tries.json';
/** A TV that has run this long has come up. */
const SETTLED_MS = 20_000;
/** Who was in is written when it changes, and this often while somebody is, for its time. */
const PEOPLE_FRESH_MS = 5 * 60_000;

/** @type {{maxBytes: number, parse: (bytes: Buffer) => Record<string, number>}} */
const TRIES_FORMAT = {
  maxBytes: LIMITS.savedStateBytes.value,
  parse(bytes) {
    const tries = parseJson(bytes);
    if (!isObject(tries) || !Object.values(tries).every((count) => isWhole(count, 0))) {
      throw unusable('it holds no numbers of tries');
    }
    return /** @type {Record<string, number>} */ (tries);
  },
};

/** @typedef {import('./match-checkpoints.js').Kept} Kept */
/** @typedef {import('./saved-matches.js').People} People */

export class Keeping {
  #files;
  #keeper;
  #people = { text: '', writtenAt: 0 };
  /** @type {NodeJS.Timeout | undefined} */
  #settled;

  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {import('./saved-matches.js').Sessions} parts.sessions
   * @param {import('../lobby/lobby.js').Lobby} parts.lobby
   * @param {import('pino').Logger} parts.log
   * @param {number} parts.everyMs 0: only when the TV goes off
   * @param {() => People} parts.people
   * @param {() => void} [parts.problemChanged] called when `problem` has changed
   */
  constructor({ store, sessions, lobby, log, everyMs, people, problemChanged }) {
    this.store = store;
    this.sessions = sessions;
    this.lobby = lobby;
    this.log = log;
    this.everyMs = everyMs;
    this.people = people;
    this.#files = new LiveFiles(store.directory, store.files);
    this.#keeper = new LiveKeeper({
      files: this.#files,
      matches: () => lobby.matches,
      keepPeople: () => this.#keepPeople(),
      log,
      problemChanged,
    });
  }

  /** Why running matches are not being saved; undefined while they are. */
  get problem() {
    return this.#keeper.problem;
  }
  /** Written while the TV runs, since its start. */
  get bytesWritten() {
    return this.#files.bytesWritten;
  }

  /** @returns {Promise<Kept[]>} what an earlier start left to go on with */
  async take() {
    const live = await this.#files.read();
    if (this.everyMs === 0) {
      const matches = newest([...live, ...(await this.sessions.takeMatches())]);
      await this.#files.clear().catch(() => {}); // kept at the end, as the others
      return matches;
    }
    const resting = await this.sessions.readMatches();
    const tries = (await this.store.load(TRIES_FILE, TRIES_FORMAT)) ?? {};
    const taken = [];
    for (const kept of newest([...live, ...resting])) {
      const { id, game } = kept.saved;
      if ((tries[id] ?? 0) >= TRIES_MOST) {
        this.log.warn({ match: id, game }, 'a match with which the TV did not come up is given up');
        await this.#files.remove(id);
        continue;
      }
      tries[id] = (tries[id] ?? 0) + 1;
      taken.push(kept);
    }
    try {
      for (const { saved, checkpoint } of resting) {
        if (taken.some((kept) => kept.saved === saved)) await this.#files.write(saved, checkpoint);
      }
      if (taken.length > 0) await this.store.write(TRIES_FILE, JSON.stringify(tries));
      await this.sessions.removeMatches();
    } catch (error) {
      this.log.warn({ error: messageOf(error) }, 'interrupted matches cannot be kept');
    }
    return taken;
  }

  /** @param {number} id of a match that did not go on, or is over */
  forget(id) {
    if (this.everyMs === 0) return;
    this.#files.remove(id).catch((error) => {
      this.log.warn({ match: id, error: messageOf(error) }, 'a match that is over is still kept');
    });
  }

  /** The TV is up. */
  start() {
    if (this.everyMs === 0) return;
    this.lobby.on('ended', ({ id }) => this.forget(id));
    this.#keeper.start(this.everyMs);
    this.#settled = setTimeout(
      () => void this.store.remove(TRIES_FILE).catch(() => {}),
      SETTLED_MS,
    );
    this.#settled.unref();
  }

  async #keepPeople() {
    const people = this.people();
    const text = JSON.stringify([people.players, people.screens]);
    const old = people.savedAt - this.#people.writtenAt > PEOPLE_FRESH_MS;
    if (text === this.#people.text && !(old && people.players.length > 0)) return;
    await this.sessions.savePeople(people);
    this.#people = { text, writtenAt: people.savedAt };
  }

  /** Nothing more is written while the TV runs. */
  stop() {
    this.#keeper.stop();
    clearTimeout(this.#settled);
  }

  /**
   * The TV goes off in peace.
   * @param {Kept[]} matches @param {People} people
   */
  async save(matches, people) {
    const all = await this.sessions.save(matches, people);
    if (this.everyMs === 0) return;
    if (all)
      await this.#files.clear(); // else what was written while it ran is better than nothing
    else await this.#files.close();
    await this.store.remove(TRIES_FILE);
  }

  close() {
    return this.#files.close();
  }
}

/** @param {Kept[]} all @returns {Kept[]} one a match */
function newest(all) {
  /** @type {Map<number, Kept>} */
  const best = new Map();
  for (const kept of all) {
    const other = best.get(kept.saved.id);
    if (!other || other.saved.tick < kept.saved.tick) best.set(kept.saved.id, kept);
  }
  return [...best.values()];
}

/**
 * Saves players and matches for the next start: when the TV stops, and with --checkpoint-seconds while it runs. With
 * --checkpoint-seconds a resumed match stays on disk until it is over, so that power may fail at any moment, also
 * during the start.
 */
import { messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { Autosave } from './autosave.js';
import { isObject, isWhole } from './checks.js';
import { CheckpointFiles } from './match-checkpoints.js';
import { convertLegacyMatches } from './legacy-matches.js';
import { PeopleFile } from './people-file.js';
import { parseJson, unusable } from './saved-files.js';

/** A match is given up after this many starts during which the TV failed. */
const MAX_TRIES = 3;
const TRIES_FILE = 'tries.json';
/** A start has succeeded when the TV has run this long. */
const SETTLED_MS = 20_000;

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

/** @typedef {import('../match/saved-match.js').SavedMatch} SavedMatch */
/** @typedef {import('./people-file.js').People} People */

export class Persistence {
  #files;
  #autosave;
  #peopleFile;
  /** @type {NodeJS.Timeout | undefined} */
  #settled;

  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {import('../lobby/lobby.js').Lobby} parts.lobby
   * @param {import('pino').Logger} parts.log
   * @param {number} parts.everyMs time between saves; 0: only when the TV stops
   * @param {() => People} parts.people
   * @param {() => void} [parts.problemChanged] called when `problem` has changed
   */
  constructor({ store, lobby, log, everyMs, people, problemChanged }) {
    this.store = store;
    this.log = log;
    this.everyMs = everyMs;
    this.people = people;
    this.#peopleFile = new PeopleFile(store);
    this.#files = new CheckpointFiles(store.directory, store.files);
    this.#autosave = new Autosave({
      files: this.#files,
      matches: () => lobby.matches,
      savePeople: () => this.#peopleFile.saveChanges(this.people()),
      log,
      problemChanged,
    });
    lobby.on('ended', ({ id }) => this.forget(id));
  }

  /** Why running matches are not being saved; undefined while they are. */
  get problem() {
    return this.#autosave.problem;
  }
  /** Bytes of checkpoints written since the start. */
  get bytesWritten() {
    return this.#files.bytesWritten;
  }

  /** Reads the players and screens of the last start. @returns {Promise<People>} */
  loadPeople() {
    return this.#peopleFile.load();
  }

  /** Reads the matches of the last start. @returns {Promise<SavedMatch[]>} */
  async loadSaved() {
    await convertLegacyMatches(this.store, this.#files, this.log);
    const matches = await this.#files.read();
    if (this.everyMs > 0) return this.#countTries(matches);
    // A start that fails must not fail again because of the same match.
    await this.#warnOnError(this.#files.clear());
    return matches;
  }

  /**
   * Counts this start for each match, and gives up matches with which the TV failed too often.
   * @param {SavedMatch[]} matches
   */
  async #countTries(matches) {
    const tries = (await this.store.load(TRIES_FILE, TRIES_FORMAT)) ?? {};
    const resumed = matches.filter(({ saved }) => (tries[saved.id] ?? 0) < MAX_TRIES);
    for (const { saved } of matches.filter((match) => !resumed.includes(match))) {
      const fields = { match: saved.id, game: saved.game };
      this.log.warn(fields, 'a saved match was given up: the TV failed too often while it resumed');
      await this.#warnOnError(this.#files.remove(saved.id));
    }
    for (const { saved } of resumed) tries[saved.id] = (tries[saved.id] ?? 0) + 1;
    if (resumed.length > 0) {
      await this.#warnOnError(this.store.write(TRIES_FILE, JSON.stringify(tries)));
    }
    return resumed;
  }

  /** @param {Promise<unknown>} change of saved files */
  async #warnOnError(change) {
    await change.catch((error) => {
      this.log.warn({ error: messageOf(error) }, 'saved matches cannot be changed');
    });
  }

  /** Deletes a match that is over or cannot be resumed. @param {number} id */
  forget(id) {
    if (this.everyMs > 0) void this.#warnOnError(this.#files.remove(id));
  }

  /** Starts to save at intervals. */
  start() {
    if (this.everyMs === 0) return;
    this.#autosave.start(this.everyMs);
    this.#settled = setTimeout(
      () => void this.store.remove(TRIES_FILE).catch(() => {}),
      SETTLED_MS,
    );
    this.#settled.unref();
  }

  /** Stops saving at intervals. */
  stop() {
    this.#autosave.stop();
    clearTimeout(this.#settled);
  }

  /**
   * Saves everything when the TV stops. What cannot be saved is logged.
   * @param {SavedMatch[]} matches @param {People} people
   */
  async save(matches, people) {
    await Promise.all([
      this.#peopleFile.save(people).catch((error) => {
        this.log.error({ error: messageOf(error) }, 'players cannot be saved');
      }),
      ...matches.map((match) => this.#saveMatch(match)),
    ]);
    await this.close();
    if (this.everyMs > 0) await this.store.remove(TRIES_FILE);
  }

  /** @param {SavedMatch} match */
  async #saveMatch({ saved, checkpoint }) {
    try {
      await this.#files.write(saved, checkpoint, { final: true });
    } catch (error) {
      this.log.error({ match: saved.id, error: messageOf(error) }, 'a match cannot be saved');
      // With --checkpoint-seconds the other side has an older checkpoint.
      if (this.everyMs === 0) await this.#warnOnError(this.#files.remove(saved.id));
    }
  }

  /** Closes the files. */
  close() {
    return this.#files.close();
  }
}

/**
 * Saves players and matches for the next start: players when they change, matches when the TV stops, and with
 * --checkpoint-seconds while they run. With that option a resumed match stays on disk until it is over, so that power
 * may fail at any moment, also during the start.
 */
import { readFile } from 'node:fs/promises';
import { messageOf } from '../errors.js';
import { anyText, integer, optional } from '../options.js';
import { isObject } from './checks.js';
import { CheckpointFiles } from './match-checkpoints.js';
import { PeopleFile } from './people-file.js';
import { reasonOf } from './reason.js';
import { parseJson, unusable } from './saved-files.js';

/**
 * A match is given up after this many starts during which the TV failed. One of a game of others is given up when the
 * TV has failed once since it was resumed, even hours later: the game may be the reason.
 */
const MAX_TRIES = 3;
const MAX_TRIES_OF_OTHERS = 1;
const TRIES_FILE = 'tries.json';
const BOOT_ID = optional(anyText(64));
const COUNT = integer(0);
/** A start has succeeded when the TV has run this long. */
const SETTLED_MS = 20_000;
/** Differs after each start of the machine (random(4)): a power cut is no failure of a game. */
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
/** How often it looks whether players have changed. */
const PEOPLE_MS = 1000;

/**
 * @typedef {object} Tries
 * @property {Record<string, number>} counts by match
 * @property {string} [boot] when matches of games of others were resumed
 */

/** @param {Buffer} bytes @returns {Tries} @throws {import('../errors.js').PitvError} PITV_SAVED_INVALID */
function parseTries(bytes) {
  const tries = parseJson(bytes);
  const { boot, ...counts } = Object(tries);
  const areCounts = Object.values(counts).every(COUNT.accepts);
  if (!isObject(tries) || !BOOT_ID.accepts(boot) || !areCounts) {
    throw unusable('it holds no numbers of tries');
  }
  return { boot, counts };
}

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('../match/saved-match.js').SavedMatch} SavedMatch
 * @typedef {import('./people-file.js').People} People
 */

export class Persistence {
  #files;
  #peopleFile;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** When running matches are due to be saved, performance.now(). */
  #dueAt = Infinity;
  /** @type {Promise<void> | undefined} the save of people and running matches that has begun */
  #saving;
  /** Why the last save of people and running matches failed; undefined when it did not. @type {string | undefined} */
  problem;
  /** @type {NodeJS.Timeout | undefined} */
  #settled;
  /** Tries of the matches of games of others that were resumed. @type {Record<string, number>} */
  #triesOfOthers = {};

  /**
   * @param {{store: import('./store.js').Store, lobby: import('../lobby/lobby.js').Lobby,
   *   log: Pick<import('pino').Logger, 'info' | 'warn' | 'error'>, people: () => People, everyMs: number,
   *   problemChanged?: () => void}} parts everyMs: time between saves of matches, 0: only when the TV stops;
   *   problemChanged: is called when `problem` has changed
   */
  constructor({ store, lobby, log, everyMs, people, problemChanged }) {
    this.store = store;
    this.lobby = lobby;
    this.log = log;
    this.everyMs = everyMs;
    this.people = people;
    this.problemChanged = problemChanged;
    this.#peopleFile = new PeopleFile(store);
    this.#files = new CheckpointFiles(store.directory, store.files);
    lobby.on('ended', ({ id }) => this.forget(id));
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
    const matches = await this.#countTries(await this.#files.read());
    // A start that fails must not fail again because of the same match.
    if (this.everyMs === 0) await this.#warnOnError(this.#files.clear());
    return matches;
  }

  /** Counts this start, and gives up matches with which the TV failed too often. @param {SavedMatch[]} matches */
  async #countTries(matches) {
    const last = await this.store.load(TRIES_FILE, { parse: parseTries });
    const { counts } = last ?? { counts: /** @type {Record<string, number>} */ ({}) };
    const isSameBoot = last?.boot !== undefined && last.boot === (await readBootId());
    const resumed = matches.filter(({ saved: { id, locked } }) => {
      if (!locked) return (counts[id] ?? 0) < MAX_TRIES;
      return !isSameBoot || (counts[id] ?? 0) < MAX_TRIES_OF_OTHERS;
    });
    for (const { saved } of matches.filter((match) => !resumed.includes(match))) {
      const fields = { match: saved.id, game: saved.game };
      this.log.warn(fields, 'a saved match was given up: the TV failed too often while it resumed');
      await this.#warnOnError(this.#files.remove(saved.id));
    }
    const counted = resumed.filter(({ saved }) => saved.locked || this.everyMs > 0);
    for (const { saved } of counted) {
      counts[saved.id] = (counts[saved.id] ?? 0) + 1;
      if (saved.locked) this.#triesOfOthers[saved.id] = counts[saved.id];
    }
    if (counted.length > 0) await this.#warnOnError(this.#writeTries(counts));
    return resumed;
  }

  /** @param {Record<string, number>} counts */
  async #writeTries(counts) {
    const hasOthers = Object.keys(this.#triesOfOthers).length > 0;
    const tries = hasOthers ? { ...counts, boot: await readBootId() } : counts;
    await this.store.write(TRIES_FILE, JSON.stringify(tries));
  }

  /** Forgets the tries when the TV has run for a while, except those of games of others. */
  async #settle() {
    if (Object.keys(this.#triesOfOthers).length === 0) await this.store.remove(TRIES_FILE);
    else await this.#writeTries(this.#triesOfOthers);
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

  /** Starts to save players soon after they have changed, and running matches at an interval. */
  start() {
    const { everyMs } = this;
    const intervalMs = Math.min(everyMs || Infinity, PEOPLE_MS);
    if (everyMs > 0) this.#dueAt = performance.now() + everyMs;
    this.#timer = setInterval(() => {
      if (this.#saving) return; // the disk is slow; the next save writes the newest checkpoint
      // A timer may be early by a fraction of a millisecond.
      const isDue = performance.now() > this.#dueAt - intervalMs / 2;
      if (isDue) this.#dueAt = performance.now() + everyMs;
      const saving = this.#saveChanges(isDue ? this.lobby.matches : []);
      this.#saving = saving.finally(() => (this.#saving = undefined));
    }, intervalMs).unref();
    if (everyMs === 0) return;
    this.#settled = setTimeout(() => void this.#settle().catch(() => {}), SETTLED_MS);
    this.#settled.unref();
  }

  /** @param {Match[]} matches that run */
  async #saveChanges(matches) {
    // A failure does not stop the others: a file that keeps its size can be written on a full disk.
    const saves = [
      () => this.#peopleFile.saveChanges(this.people()),
      ...matches.map((match) => () => this.#saveRunning(match)),
    ];
    /** @type {string[]} */
    const failures = [];
    for (const save of saves) await save().catch((error) => failures.push(reasonOf(error)));
    this.#setProblem(failures[0]);
  }

  /** @param {Match} match */
  async #saveRunning(match) {
    if (match.players.length === 0) return; // a demo is not worth the wear of the card
    const snapshot = match.snapshot();
    if (snapshot) await this.#files.write(snapshot.saved, snapshot.checkpoint);
    if (match.end) await this.#files.remove(match.id); // it ended during the write
  }

  /** @param {string | undefined} problem */
  #setProblem(problem) {
    if (problem === this.problem) return;
    if (!problem) this.log.info('matches are being saved again');
    else if (!this.problem) this.log.warn({ error: problem }, 'matches are not being saved');
    this.problem = problem;
    this.problemChanged?.();
  }

  /** Stops saving at intervals. */
  stop() {
    clearInterval(this.#timer);
    clearTimeout(this.#settled);
  }

  /**
   * Saves everything when the TV stops. What cannot be saved is logged.
   * @param {SavedMatch[]} matches @param {People} people
   * @param {boolean} [hasFailed] whether it stops because of an error
   */
  async save(matches, people, hasFailed = false) {
    await this.#saving; // it would replace the newer file of people
    await Promise.all([
      this.#peopleFile.save(people).catch((error) => {
        this.log.error({ error: messageOf(error) }, 'players cannot be saved');
      }),
      ...matches.map((match) => this.#saveMatch(match)),
    ]);
    await this.close();
    if (!hasFailed) await this.#warnOnError(this.store.remove(TRIES_FILE));
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

/** @returns {Promise<string>} '' if it is unknown */
const readBootId = async () => (await readFile(BOOT_ID_FILE, 'latin1').catch(() => '')).trim();

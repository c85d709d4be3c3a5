/** Saves players soon after they have changed, and running matches at an interval. */
import { reasonOf } from './reason.js';

/** How often it looks whether players have changed. */
const PEOPLE_MS = 1000;

export class Autosave {
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #saving = false;
  #parts;
  /** When matches are due, performance.now(). */
  #dueAt = Infinity;
  /** Why the last save failed; undefined when it did not. */
  problem = /** @type {string | undefined} */ (undefined);

  /**
   * @param {object} parts
   * @param {import('./match-checkpoints.js').CheckpointFiles} parts.files
   * @param {() => import('../match/match.js').Match[]} parts.matches
   * @param {() => Promise<unknown>} parts.savePeople writes only what has changed
   * @param {Pick<import('pino').Logger, 'warn' | 'info'>} parts.log
   * @param {() => void} [parts.problemChanged] called when saving begins to fail and when it works again
   */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {number} everyMs between saves of matches; 0: they are not saved */
  start(everyMs) {
    const intervalMs = Math.min(everyMs || Infinity, PEOPLE_MS);
    if (everyMs > 0) this.#dueAt = performance.now() + everyMs;
    this.#timer = setInterval(() => {
      // A timer may be early by a fraction of a millisecond.
      const isDue = performance.now() > this.#dueAt - intervalMs / 2;
      if (isDue) this.#dueAt = performance.now() + everyMs;
      void this.#save(isDue ? this.#parts.matches() : []);
    }, intervalMs);
    this.#timer.unref();
  }

  /** @param {import('../match/match.js').Match[]} matches */
  async #save(matches) {
    if (this.#saving) return; // the disk is slow; the next save writes the newest checkpoint
    this.#saving = true;
    // A failure does not stop the others: a file that keeps its size can be written on a full disk.
    const saves = [
      () => this.#parts.savePeople(),
      ...matches.map((match) => () => this.#saveMatch(match)),
    ];
    /** @type {string[]} */
    const failures = [];
    for (const save of saves) await save().catch((error) => failures.push(reasonOf(error)));
    this.#saving = false;
    this.#setProblem(failures[0]);
  }

  /** @param {import('../match/match.js').Match} match */
  async #saveMatch(match) {
    if (match.players.length === 0) return; // a demo is not worth the wear of the card
    const { files } = this.#parts;
    const snapshot = match.snapshot();
    if (snapshot) await files.write(snapshot.saved, snapshot.checkpoint);
    if (match.end) await files.remove(match.id); // it ended during the write
  }

  /** @param {string | undefined} problem */
  #setProblem(problem) {
    if (problem === this.problem) return;
    const { log, problemChanged } = this.#parts;
    if (!problem) log.info('matches are being saved again');
    else if (!this.problem) log.warn({ error: problem }, 'matches are not being saved');
    this.problem = problem;
    problemChanged?.();
  }

  stop() {
    clearInterval(this.#timer);
  }
}

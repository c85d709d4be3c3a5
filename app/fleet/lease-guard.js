/**
 * Shows and runs the matches of this node only while it holds the lease: hides them at once without it, and stops them
 * after a while. With the lease, takes over those of dead nodes.
 */
/** Time without a lease after which the matches of this node stop. */
const PAUSE_MS = 1000;

export class LeaseGuard {
  #membership;
  #matches;
  #takeover;
  #partition;
  #log;
  #counters;
  #reconnect;
  #changed;
  #lostAt = Infinity;
  /** Whether this node is cut off from most of its fleet. */
  isCutOff = false;

  /**
   * @param {object} parts
   * @param {import('./membership.js').Membership} parts.membership
   * @param {import('./fleet-matches.js').FleetMatches} parts.matches
   * @param {import('./takeover.js').Takeover} parts.takeover
   * @param {'pause' | 'continue'} parts.partition see settings.js
   * @param {import('pino').Logger} parts.log
   * @param {import('./fleet-counters.js').FleetCounters} parts.counters
   * @param {() => Promise<void>} parts.reconnect learns what this node has missed
   * @param {() => void} parts.changed is called when this node is cut off or connected again
   */
  constructor({ membership, matches, takeover, partition, log, counters, ...calls }) {
    this.#membership = membership;
    this.#matches = matches;
    this.#takeover = takeover;
    this.#partition = partition;
    this.#log = log;
    this.#counters = counters;
    this.#reconnect = calls.reconnect;
    this.#changed = calls.changed;
  }

  /** Tells whether a match of this node may be shown. @param {number} id */
  mayShow(id) {
    if (this.#matches.isPrivate(id)) return true;
    if (this.#partition === 'continue' && this.isCutOff) return true;
    return this.#membership.hasLease && this.#matches.isConfirmed(id);
  }

  /** Call it after each beat that was sent. */
  check() {
    const now = performance.now();
    if (!this.#membership.hasLease) {
      this.#lostAt = Math.min(this.#lostAt, now);
      if (!this.isCutOff && now - this.#lostAt > PAUSE_MS) this.#pause();
      return;
    }
    const wasLost = this.#lostAt !== Infinity;
    this.#lostAt = Infinity;
    if (this.isCutOff) void this.#resume();
    else if (wasLost) void this.#matches.resume();
    this.#takeover.check();
  }

  /** Call it after each beat that has come. @returns {boolean} whether this node has begun a new start */
  checkStart() {
    if (!this.#membership.isDeclaredDead) return false;
    this.#membership.startAgain();
    // A node that joins is declared dead while its TV still starts. It has no matches then, and nothing to warn of.
    if (this.#matches.own.length > 0) {
      this.#log.warn('other nodes of the fleet have missed this one; its matches are checked');
    }
    this.#matches.confirmAll();
    return true;
  }

  #pause() {
    this.isCutOff = true;
    this.#counters.cutOffs++;
    this.#changed();
    const partition = this.#partition;
    this.#log.warn({ partition }, 'this node is cut off from most of its fleet');
    if (partition === 'pause') void this.#matches.pause();
  }

  async #resume() {
    this.isCutOff = false;
    this.#changed();
    this.#log.info('this node is connected to its fleet again');
    await this.#reconnect();
    await this.#matches.resume();
  }
}

/**
 * Shows and runs the matches of this node only while it holds the lease: hides them at once without it, and stops them
 * after a while. With the lease, takes over those of dead nodes.
 */
/** Time without a lease after which the matches of this node stop. */
const PAUSE_MS = 1000;

export class LeaseGuard {
  #fleet;
  #lostAt = Infinity;
  /** Whether this node is cut off from most of its fleet. */
  isCutOff = false;

  /** @param {import('./fleet.js').Fleet} fleet */
  constructor(fleet) {
    this.#fleet = fleet;
  }

  /** Tells whether a match of this node may be shown. @param {number} id */
  mayShow(id) {
    const { matches, membership, partition } = this.#fleet;
    if (matches.isPrivate(id)) return true;
    if (partition === 'continue' && this.isCutOff) return true;
    return membership.hasLease && matches.isConfirmed(id);
  }

  /** Call it after each beat that was sent. */
  check() {
    const now = performance.now();
    const { membership, matches, takeover } = this.#fleet;
    if (!membership.hasLease) {
      this.#lostAt = Math.min(this.#lostAt, now);
      if (!this.isCutOff && now - this.#lostAt > PAUSE_MS) this.#pause();
      return;
    }
    const wasLost = this.#lostAt !== Infinity;
    this.#lostAt = Infinity;
    if (this.isCutOff) void this.#resume();
    else if (wasLost) void matches.resume();
    takeover.check();
  }

  /** Call it after each beat that has come. @returns {boolean} whether this node has begun a new start */
  checkStart() {
    const { membership, matches, log } = this.#fleet;
    if (!membership.isDeclaredDead) return false;
    membership.startAgain();
    // A node that joins is declared dead while its TV still starts. It has no matches then, and nothing to warn of.
    if (matches.own.length > 0) {
      log.warn('other nodes of the fleet have missed this one; its matches are checked');
    }
    matches.confirmAll();
    return true;
  }

  #pause() {
    const { counters, lobby, log, matches, partition } = this.#fleet;
    this.isCutOff = true;
    counters.cutOffs++;
    lobby.emit('change');
    log.warn({ partition }, 'this node is cut off from most of its fleet');
    if (partition === 'pause') void matches.pause();
  }

  async #resume() {
    const { lobby, log, matches } = this.#fleet;
    this.isCutOff = false;
    lobby.emit('change');
    log.info('this node is connected to its fleet again');
    await this.#fleet.catchUp();
    await matches.resume();
  }
}

/**
 * The matches of this node: tells the others about them, saves their checkpoints, gives them away, and takes over those
 * of other nodes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError, messageOf } from '../errors.js';
import { describeMatch } from '../match/saved-match.js';
import { decodeMatch, encodeMatch } from '../storage/match-file.js';
import { gameOf, recordOf } from './match-records.js';
import { Mirrors, workerOf } from './mirrors.js';

/** Four checkpoints a second: a match loses at most this much when its node dies. */
const SAVE_MS = 250;
/** How long a match that is given away stands still for its last checkpoint. */
const LAST_SAVE_MS = 500;
/** Earlier than all starts of a node: no node runs the match. */
const NO_START = 1;

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('./match-records.js').MatchRecord} MatchRecord
 *
 * @typedef {'private' | 'unconfirmed' | import('../match/resilient-worker.js').Checkpoint} Hold
 *   - private: no other node knows the match until its checkpoint has been written, since it was started without a
 *     lease, or saved by an earlier start. A node that took it over without its checkpoint would begin it again.
 *   - unconfirmed: the match is not shown until its checkpoint has been written again.
 *   - its checkpoint: the match does not run while there is no lease.
 */

export class FleetMatches {
  #fleet;
  #checkpoints;
  /** Matches whose checkpoint is being written. @type {Set<number>} */
  #saving = new Set();
  /** Matches that are being taken over. @type {Set<number>} */
  #taking = new Set();
  /** Own matches that are not shown or not told to others now. @type {Map<number, Hold>} */
  #held = new Map();
  /**
   * Former owners of matches that have no checkpoint in the bucket of this node yet; the first one has the newest.
   * @type {Map<number, string[]>}
   */
  #from = new Map();
  /** When a checkpoint was written, ms. */
  #savedAt = -Infinity;

  /** @param {import('./fleet.js').Fleet} fleet */
  constructor(fleet) {
    this.#fleet = fleet;
    this.#checkpoints = fleet.checkpoints;
    this.mirrors = new Mirrors(fleet);
  }

  /** Begins to tell the others, and to show their matches. */
  open() {
    const { lobby } = this.#fleet;
    lobby.on('started', (match) => this.#onStarted(match));
    for (const name of ['slots', 'pause', 'restart']) lobby.on(name, (match) => this.#tell(match));
    lobby.on('ended', (match, end) => this.#tellEnd(match, end));
    this.#fleet.every(SAVE_MS, () => this.#saveAll());
    this.mirrors.open();
    for (const match of lobby.matches) this.#tell(match);
  }

  /** Running matches of this node. */
  get own() {
    return this.#fleet.lobby.matches.filter(({ isOwn }) => isOwn);
  }

  /** Whether checkpoints are being written: all those that began a moment ago have been. */
  get isSaving() {
    return performance.now() - this.#savedAt < 2 * SAVE_MS;
  }

  /** Tells whether an own match may be shown: no other node may have taken it over. @param {number} id */
  isConfirmed(id) {
    return !this.#held.has(id);
  }

  /** Tells whether only this node knows a match. @param {number} id */
  isPrivate(id) {
    return this.#held.get(id) === 'private';
  }

  /** Keeps a match to this node until its checkpoint has been written. @param {number} id */
  keepPrivate(id) {
    this.#held.set(id, 'private');
  }

  /** Has an own match be hidden until it is certain that no other node has taken it over. @param {number} id */
  #doubt(id) {
    if (!this.#held.has(id)) this.#held.set(id, 'unconfirmed');
  }

  /** Tells whether a match moves, stands still, or has to stay private: it is not saved. @param {number} id */
  #isHeld(id) {
    if (this.#taking.has(id) || typeof this.#held.get(id) === 'object') return true;
    if (!this.isPrivate(id)) return false;
    return !this.#fleet.membership.hasLease || this.#fleet.record(id) !== undefined; // of another one with its number
  }

  /** Tells the others about a match of this node. @param {Match} match */
  #tell(match) {
    if (!match.isOwn || match.end || !match.running || this.#taking.has(match.id)) return;
    if (!this.isPrivate(match.id)) this.#publish(match);
  }

  /** @param {Match} match that has started */
  #onStarted(match) {
    const isNew = match.isOwn && this.#fleet.record(match.id) === undefined;
    if (isNew && !this.#fleet.membership.hasLease) this.keepPrivate(match.id);
    this.#tell(match);
    if (match.isOwn) void this.#save(match);
  }

  /** @param {Match} match @param {import('../match/results.js').End} [end] */
  #publish(match, end) {
    const { node, membership, tables } = this.#fleet;
    if ((this.#fleet.record(match.id)?.epoch ?? 0) > workerOf(match).epoch) return; // it is being lost
    const owner = { node, start: membership.start, from: this.#from.get(match.id)?.[0] };
    tables.set('matches', String(match.id), { ...recordOf(match, owner), ...(end && { end }) });
  }

  /** @param {Match} match @param {import('../match/results.js').End} end */
  #tellEnd(match, end) {
    const { id } = match;
    this.#held.delete(id);
    const record = this.#fleet.record(id);
    if (!record || record.node !== this.#fleet.node || record.end) return;
    this.#publish(match, end);
    this.#checkpoints.remove(id).catch((error) => this.#debug(id, error, 'a checkpoint stays'));
  }

  #saveAll() {
    for (const match of this.own) void this.#save(match);
  }

  /** Writes the newest checkpoint of an own match. @param {Match} match */
  async #save(match) {
    const { id } = match;
    if (this.#saving.has(id) || this.#isHeld(id)) return;
    const snapshot = match.snapshot();
    if (!snapshot) return;
    this.#saving.add(id);
    const { counters, membership } = this.#fleet;
    const { start } = membership;
    const began = performance.now();
    try {
      const bytes = await encodeMatch(snapshot.saved, snapshot.checkpoint);
      await this.#checkpoints.write(id, bytes, start);
      this.#savedAt = performance.now();
      counters.checkpoints.written++;
      counters.checkpointMs = performance.now() - began;
      if (match.end) await this.#checkpoints.remove(id);
      const isNewest = start === membership.start;
      const isNews = isNewest && !this.#isHeld(id) && this.#held.delete(id);
      if (isNews) this.#tell(match); // with the start in which it was confirmed
      await this.#forgetFormer(match);
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'PITV_FLEET_FENCED') await this.lose(match);
      else {
        counters.checkpoints.failed++;
        this.#debug(id, error, 'a checkpoint was not written');
      }
    } finally {
      this.#saving.delete(id);
    }
  }

  /** Removes the checkpoint in the bucket of the former owner, now that there is a newer one. @param {Match} match */
  async #forgetFormer(match) {
    const from = this.#from.get(match.id);
    if (from === undefined) return;
    this.#from.delete(match.id);
    if (!match.end) this.#publish(match);
    for (const node of from) await this.#checkpoints.remove(match.id, node);
  }

  /** Stops running a match that another node has taken over. @param {Match} match */
  async lose(match) {
    const { id } = match;
    if (!match.isOwn || match.end) return;
    this.#held.set(id, 'unconfirmed');
    this.#checkpoints.forget(id);
    await workerOf(match).release();
    this.#held.delete(id);
    const { node, counters, log, tables } = this.#fleet;
    const record = this.#fleet.record(id);
    // The other node has not told yet that it runs the match. It may never do so.
    if (record?.node === node) tables.set('matches', String(id), { ...record, start: NO_START });
    if (record) this.mirrors.follow(match, record);
    counters.lost++;
    log.info({ match: id, to: record?.node }, 'another node has taken over a match');
  }

  /** Stops the matches of this node while it has no lease. */
  async pause() {
    await Promise.all(
      this.own.map(async (match) => {
        if (this.#isHeld(match.id) || !match.running) return;
        const checkpoint = await workerOf(match).release();
        if (checkpoint && match.isOwn) this.#held.set(match.id, checkpoint);
      }),
    );
  }

  /** Continues the matches of this node that stand still, now that it has the lease. */
  async resume() {
    for (const match of this.own) {
      const { id } = match;
      const checkpoint = this.#held.get(id);
      if (typeof checkpoint !== 'object') continue;
      this.#held.set(id, 'unconfirmed');
      await match.start(checkpoint).catch((error) => this.#debug(id, error, 'not resumed'));
    }
  }

  /** Shows no own match until it is certain that no other node has taken it over. */
  confirmAll() {
    for (const match of this.own) {
      this.#doubt(match.id);
      this.#tell(match);
    }
  }

  /**
   * Gives a match to another node.
   * @param {Match} match @param {string} to the other node
   * @param {boolean} isLast whether this node ends. It gives the match away even if its last checkpoint cannot be
   *   written: the other node then uses the one before
   */
  async giveAway(match, to, isLast) {
    const { id } = match;
    const end = performance.now() + LAST_SAVE_MS;
    while (this.#saving.has(id) && performance.now() < end) await delay(1);
    this.#taking.add(id);
    try {
      const checkpoint = await workerOf(match).release();
      if (!checkpoint) return;
      const { saved } = describeMatch(match, checkpoint);
      try {
        const bytes = await encodeMatch(saved, checkpoint.bytes);
        const { start } = this.#fleet.membership;
        await this.#checkpoints.write(id, bytes, start, LAST_SAVE_MS).catch((error) => {
          if (!isLast) throw error;
          this.#debug(id, error, 'the last checkpoint was not written');
        });
        await this.#fleet.ask(to, 'adopt', { match: id });
      } catch (error) {
        this.#fleet.log.warn({ match: id, error: messageOf(error) }, 'a match stays on this node');
        this.#doubt(id); // the answer may have been lost
        await match.start(checkpoint);
      }
    } finally {
      this.#taking.delete(id);
    }
  }

  /**
   * Takes over a match from the node that ran it.
   * @param {MatchRecord} record @param {import('./fleet-counters.js').TakeoverReason} reason
   * @returns {Promise<boolean>} whether it runs here now
   */
  async takeOver(record, reason) {
    const { id, node: from } = record;
    const { counters, log } = this.#fleet;
    if (this.#taking.has(id)) return false;
    this.#taking.add(id);
    const began = performance.now();
    try {
      await this.#goOn(record);
      const ms = Math.round(performance.now() - began);
      counters.takeovers[reason]++;
      log.warn({ match: id, from, reason, ms }, 'a match was taken over');
      return true;
    } catch (error) {
      log.warn({ match: id, error: messageOf(error) }, 'a match was not taken over');
      return false;
    } finally {
      this.#taking.delete(id);
    }
  }

  /**
   * Goes on with a match of another node from its newest checkpoint.
   * @param {MatchRecord} record @throws {PitvError} PITV_FLEET_FENCED: another node was faster; PITV_GAME_UNKNOWN
   * @throws {Error} when its bucket cannot be reached, or the match does not start here
   */
  async #goOn(record) {
    const { id } = record;
    const { games, lobby, membership, node: self } = this.#fleet;
    const { bytes, marked, unseen } = await this.#checkpoints.take(record, membership);
    // A match that is so new that it has no checkpoint begins again.
    const found = bytes.length > 0 ? decodeMatch(bytes) : undefined;
    const former = marked.filter((node) => node !== self);
    this.#from.set(id, former);
    const game = await games.learn(gameOf(record), record.options);
    if (!game || game.elsewhere) {
      throw new PitvError('PITV_GAME_UNKNOWN', 'This node cannot run its game.');
    }
    const match = lobby.find(id) ?? lobby.mirror(record, game);
    if (match.game.elsewhere) match.setGame(game); // it was installed after the match had begun
    for (const { slot, presses } of found?.saved.seats ?? []) {
      if (presses) match.seats.setPresses(slot, presses);
    }
    this.#held.delete(id);
    workerOf(match).epoch = record.epoch + unseen + 1;
    await match.start(found && { bytes: found.checkpoint, tick: found.saved.tick });
    this.#publish(match);
  }

  /** @param {number} id @param {unknown} error @param {string} sentence */
  #debug(id, error, sentence) {
    this.#fleet.log.debug({ match: id, error: messageOf(error) }, sentence);
  }
}

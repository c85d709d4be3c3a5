/**
 * The worker of a match in a fleet. On the node that owns the match it is a ResilientWorker. On the others it is a
 * mailbox in ordinary memory: the owner's frames are written into it, and the input words of phones at this node are
 * sent to the owner. Hub and pads see no difference. The worker changes sides when the match moves.
 */
import { EventEmitter } from 'node:events';
import { Mailbox, mailboxBytes } from '../engine/mailbox/mailbox.js';
import { ResilientWorker, matchOver } from '../match/resilient-worker.js';
import { findFrameProblem } from '../game/frame-reader.js';
import { pressesOf, withPresses } from '../game/input.js';
import { askOwner } from './requests.js';
import { decodeFrame, decodeInputs, encodeFrame, encodeInputs } from './wire.js';

/** Inputs are sent again at this interval, because a message may be lost. */
const REFRESH_MS = 100;
const EVENTS = ['mailbox', 'running', 'restart', 'warning', 'paused', 'end'];

/** Subject of the frames of a match. @param {number} id */
const framesOf = (id) => `pitv.frame.${id}`;
/** Subject of the inputs of phones at a node. @param {number} id of the match @param {string} node */
const inputsOf = (id, node) => `pitv.input.${id}.${node}`;

/**
 * @typedef {import('../match/resilient-worker.js').Checkpoint} Checkpoint
 * @typedef {import('../match/resilient-worker.js').ResilientWorkerOptions} WorkerOptions
 */

/** Emits the events of ResilientWorker, and 'frame' when another node has sent one. */
export class FleetWorker extends EventEmitter {
  #options;
  #fleet;
  #id;
  /** @type {ResilientWorker | undefined} on the owner */
  #local;
  /** @type {Mailbox | undefined} on the others */
  #proxy;
  /** Who has paused the owner's worker. @type {string | undefined} */
  #pausedBy;
  #frameNumber = 0;
  #newest = -1;
  /** Sequence numbers of the inputs that were sent last, by slot. @type {number[]} */
  #sentInputs = [];
  #refreshAt = 0;
  /**
   * How the presses that a node counts differ from those of the mailbox, by slot.
   * @type {{node: string, offset: number[]}[]}
   */
  #counters = [];
  /** Ends the subscription. */
  #unsubscribe = () => {};
  ended = false;
  /** Grows with each owner. */
  epoch = 1;
  /** How often another worker has taken the place of one, as the owner counts. */
  restarts = 0;

  /** @param {WorkerOptions} options @param {import('./fleet.js').Fleet} fleet @param {number} id of the match */
  constructor(options, fleet, id) {
    super();
    this.#options = options;
    this.#fleet = fleet;
    this.#id = id;
  }

  /** @param {number} slot */
  #playerAt(slot) {
    return this.#fleet.lobby.find(this.#id)?.seats.playerAt(slot);
  }

  /** Whether no other node runs the match. */
  get isOwn() {
    return this.#proxy === undefined;
  }
  get mailbox() {
    return this.#local?.mailbox ?? this.#proxy;
  }
  get running() {
    return this.#local?.running ?? !this.isOwn; // nodes tell only about matches that run
  }
  get pid() {
    return this.#local?.pid ?? 0;
  }
  get problem() {
    return this.#local?.problem;
  }
  get place() {
    return this.#local?.place;
  }
  get checkpoint() {
    return this.#local?.checkpoint;
  }

  // The owner.

  /**
   * Starts the match on this node.
   * @param {Checkpoint} [checkpoint] @returns {Promise<void>} see ResilientWorker.start()
   */
  async start(checkpoint) {
    if (this.ended) throw matchOver();
    const local = new ResilientWorker(this.#options);
    for (const event of EVENTS) {
      local.on(event, (about) => {
        if (event === 'restart') this.restarts++;
        if (event === 'paused') this.#pausedBy = about;
        if (local === this.#local) this.emit(event, about);
      });
    }
    this.#unsubscribe();
    const isMoved = this.#proxy !== undefined;
    this.#local = local;
    this.#proxy = undefined;
    this.#counters = [];
    const subject = inputsOf(this.#id, '*');
    this.#unsubscribe = this.#fleet.connection.subscribe(subject, ({ data, subject: from }) => {
      this.#receiveInputs(data, from.slice(subject.length - 1));
    });
    this.#notePause();
    if (isMoved) {
      this.restarts++;
      this.emit('restart', { reason: 'moved' });
    }
    await local.start(checkpoint);
  }

  /**
   * Stops running the match on this node, because it moves to another one. Afterwards, the worker is neither local nor
   * remote until follow() or start().
   * @returns {Promise<Checkpoint | undefined>} the last one
   */
  async release() {
    const local = this.#local;
    if (!local) return undefined;
    this.#unsubscribe();
    this.#unsubscribe = () => {};
    await local.stop();
    const { checkpoint } = local;
    const copy = checkpoint && { bytes: checkpoint.bytes.slice(), tick: checkpoint.tick };
    if (this.#local === local) this.#local = undefined;
    local.close();
    return copy;
  }

  /** @param {Uint8Array} message @param {string} node that sent it */
  #receiveInputs(message, node) {
    const decoded = decodeInputs(message);
    const mailbox = this.#local?.mailbox;
    if (!mailbox || decoded?.epoch !== this.epoch) return void this.#fleet.counters.stale++;
    const { inputSlots } = this.#options.sizes;
    for (const { slot, word, sequence } of decoded.inputs) {
      if (slot >= inputSlots || this.#playerAt(slot)?.home !== node) continue;
      mailbox.putInput(slot, this.#countOn(slot, node, word, mailbox.readInput(slot)), sequence);
    }
  }

  /**
   * Makes the press counters of a word continue those that the game has seen, since each node counts from its own
   * start.
   * @param {number} slot @param {string} node @param {number} word of the node @param {number} current
   * @returns {number}
   */
  #countOn(slot, node, word, current) {
    const presses = pressesOf(word);
    const known = this.#counters[slot];
    const isSame = known?.node === node;
    const offset = isSame ? known.offset : pressesOf(current).map((n, i) => n - presses[i]);
    this.#counters[slot] = { node, offset };
    return withPresses(word, [presses[0] + offset[0], presses[1] + offset[1]]);
  }

  // The others.

  /**
   * Follows a match that runs on another node, as its record says.
   * @param {Pick<import('./match-records.js').MatchRecord, 'epoch' | 'restarts' | 'pausedBy'>} record
   */
  follow({ epoch, restarts, pausedBy }) {
    const isMoved = epoch !== this.epoch;
    const hasFailed = this.#proxy !== undefined && restarts > this.restarts;
    this.epoch = epoch;
    this.restarts = restarts;
    if (isMoved || !this.#proxy) {
      this.#newest = -1;
      this.#sentInputs = [];
    }
    if (!this.#proxy) {
      const sizes = { ...this.#options.sizes, tickStats: 0 };
      this.#proxy = Mailbox.create(new ArrayBuffer(mailboxBytes(sizes)), sizes);
      this.#unsubscribe();
      const { connection } = this.#fleet;
      this.#unsubscribe = connection.subscribe(framesOf(this.#id), ({ data }) =>
        this.#receiveFrame(data),
      );
      this.emit('mailbox');
    }
    if (isMoved || hasFailed) this.emit('restart', { reason: isMoved ? 'moved' : 'crashed' });
    this.#notePause(pausedBy);
  }

  /** Notes that the match is paused, or goes on. @param {string} [by] see ResilientWorker.pause() */
  #notePause(by) {
    if (by === this.#pausedBy) return;
    this.#pausedBy = by;
    this.emit('paused', by);
  }

  /** @param {Uint8Array} message */
  #receiveFrame(message) {
    const frame = decodeFrame(message);
    const proxy = this.#proxy;
    const { counters } = this.#fleet;
    if (!proxy || frame?.epoch !== this.epoch) return void counters.stale++;
    const { number, bytes } = frame;
    const isNewer = this.#newest < 0 || ((number - this.#newest) | 0) > 0;
    const { frames, sizes } = this.#options;
    const isWrong = bytes.length > sizes.frameBytes || findFrameProblem(bytes, frames);
    if (!isNewer || isWrong) return void counters.stale++;
    this.#newest = number;
    counters.frames.received++;
    counters.frameBytes.received += bytes.length;
    proxy.frameTarget.set(bytes);
    proxy.publishFrame(bytes.length, number);
    proxy.tick = number;
    this.emit('frame');
  }

  /** Sends the inputs of phones at this node that have changed, and all of them now and then. */
  sendInputs() {
    const proxy = this.#proxy;
    if (!proxy) return;
    const now = performance.now();
    const all = now >= this.#refreshAt;
    const inputs = [];
    for (let slot = 0; slot < this.#options.sizes.inputSlots; slot++) {
      const sequence = proxy.inputSequence(slot);
      if (!all && sequence === this.#sentInputs[slot]) continue;
      this.#sentInputs[slot] = sequence;
      const player = this.#playerAt(slot);
      if (!player?.connected || player.home !== undefined) continue; // its phone is not connected to this node
      inputs.push({ slot, sequence, word: proxy.readInput(slot) });
    }
    if (all) this.#refreshAt = now + REFRESH_MS;
    if (inputs.length === 0) return;
    const { connection, node } = this.#fleet;
    connection.publish(inputsOf(this.#id, node), encodeInputs(this.epoch, inputs));
  }

  // Both.

  /** Takes the newest frame, see Match.takeFrame(). @returns {Uint8Array | undefined} */
  takeFrame() {
    if (this.#proxy) {
      this.sendInputs();
      return this.#proxy.takeFrame()?.bytes;
    }
    const { connection, counters } = this.#fleet;
    const bytes = this.#local?.takeFrame();
    if (!bytes || !this.#fleet.guard.mayShow(this.#id)) return undefined;
    if (this.#fleet.isWanted(this.#id)) {
      const message = encodeFrame(this.epoch, this.#frameNumber++, bytes);
      connection.publish(framesOf(this.#id), message);
      counters.frames.sent++;
      counters.frameBytes.sent += message.length;
    }
    return bytes;
  }

  /** The newest frame, see ResilientWorker.lastFrame. */
  get lastFrame() {
    if (!this.#proxy) return this.#local?.lastFrame;
    return (this.#proxy.takeFrame() ?? this.#proxy.lastFrame).bytes;
  }

  /** @param {{url: string, lock?: import('../engine/lock.js').Lock}} module see ResilientWorker.setModule() */
  setModule(module) {
    const { url, lock } = module;
    this.#options = { ...this.#options, url, lock };
    this.#local?.setModule(module);
  }

  /** @param {() => void} onStopped see ResilientWorker.replace() */
  async replace(onStopped) {
    await this.#local?.replace(onStopped);
  }

  /** @param {string} operation @param {object} about */
  #askOwner(operation, about) {
    return askOwner(this.#fleet, this.#id, operation, about).catch(() => {});
  }

  /** Pauses the match, or asks the owner to. @param {string} [by] see ResilientWorker.pause() */
  pause(by) {
    if (this.#proxy) void this.#askOwner('pause', { by });
    else this.#local?.pause(by);
  }

  /** Ends the match, or asks the owner to. @param {import('../match/results.js').EndReason} reason */
  async end(reason) {
    if (this.#proxy) return void (await this.#askOwner('stop', { reason }));
    await this.stop();
    return void this.emit('end', reason);
  }

  /** Ends a match that its owner has ended. @param {import('../match/results.js').End} end */
  endAs(end) {
    this.ended = true;
    this.emit('end', end.reason, end);
  }

  /** Stops the worker on this node. The match runs on if it has another owner. */
  async stop() {
    this.ended = true;
    await this.#local?.stop();
  }

  close() {
    this.ended = true;
    this.#unsubscribe();
    this.#local?.close();
  }
}

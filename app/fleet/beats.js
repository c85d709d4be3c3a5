/** Sends the beats of this node, receives those of the others, and knows which nodes belong to the fleet. */
import { messageOf } from '../errors.js';
import { PROTOCOL, parseBeat, senderOf } from './beat-format.js';
import { noteStart, readMembers } from './members.js';
import { BEAT_MS } from './membership.js';

export const BEATS = 'pitv.beat';
/** Interval at which the members are read. */
const MEMBERS_MS = 5000;
const MAX_OTHERS = 256;

export class Beats {
  #connection;
  #membership;
  #nodes;
  #members;
  #guard;
  #afterSend;
  #onStart;
  #log;
  #isReading = false;
  /** The matches whose frames this node has asked for. */
  #wanted = '';
  /** Nodes of another protocol that were logged. @type {Set<string>} */
  #others = new Set();
  /** @type {(() => void)[]} */
  #ends = [];

  /**
   * @param {object} parts
   * @param {import('./connection.js').FleetConnection} parts.connection
   * @param {import('./membership.js').Membership} parts.membership
   * @param {import('./nodes.js').Nodes} parts.nodes
   * @param {import('@nats-io/kv').KV} parts.members the bucket
   * @param {import('./lease-guard.js').LeaseGuard} parts.guard
   * @param {() => void} parts.afterSend is called after each beat that was sent
   * @param {() => void} parts.onStart is called when another node has started
   * @param {import('pino').Logger} parts.log
   */
  constructor({ connection, membership, nodes, members, guard, afterSend, onStart, log }) {
    this.#connection = connection;
    this.#membership = membership;
    this.#nodes = nodes;
    this.#members = members;
    this.#guard = guard;
    this.#afterSend = afterSend;
    this.#onStart = onStart;
    this.#log = log;
  }

  open() {
    const timers = [
      setInterval(() => this.send(), BEAT_MS).unref(),
      setInterval(() => void this.#readMembers(), MEMBERS_MS).unref(),
    ];
    this.#ends = [
      this.#connection.subscribe(BEATS, ({ data }) => this.#receive(data)),
      ...timers.map((timer) => () => clearInterval(timer)),
    ];
    this.#membership.listen();
    this.send();
  }

  /** Sends a beat, and does what is due with each. */
  send() {
    const about = this.#nodes.self;
    this.#wanted = String(about.wanted);
    this.#connection.publish(
      BEATS,
      JSON.stringify({ ...this.#membership.beat(about), protocol: PROTOCOL }),
    );
    this.#nodes.logChanges();
    this.#guard.check();
    this.#afterSend();
  }

  /** Tells the others at once which frames this node needs, if that has changed. */
  wantedChanged() {
    if (String(this.#nodes.wanted) !== this.#wanted) this.send();
  }

  /** @param {Uint8Array} bytes */
  #receive(bytes) {
    const beat = parseBeat(bytes);
    if (!beat) this.#noteOther(bytes);
    else if (!this.#membership.members.includes(beat.node)) void this.#readMembers();
    else this.#receiveBeat(beat);
  }

  /** @param {import('./membership.js').Beat} beat of a member */
  #receiveBeat(beat) {
    const isNewStart = this.#membership.isNewStart(beat);
    if (!this.#membership.receive(beat)) return;
    if (isNewStart) this.#onStart();
    if (this.#guard.checkStart()) this.#startAgain();
  }

  /** Logs once that a node speaks another protocol. @param {Uint8Array} bytes of its beat */
  #noteOther(bytes) {
    const sender = senderOf(bytes);
    if (!sender || sender.protocol === PROTOCOL || this.#others.has(sender.node)) return;
    if (this.#others.size < MAX_OTHERS) this.#others.add(sender.node);
    this.#log.warn(sender, 'a node of another version is not part of this fleet');
  }

  #startAgain() {
    this.send();
    const { node, start } = this.#membership;
    noteStart(this.#members, node, start).catch((error) => {
      this.#log.debug({ error: messageOf(error) }, 'a new start was not noted');
    });
  }

  async #readMembers() {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const members = await readMembers(this.#members);
      if (members.has(this.#membership.node)) this.#membership.setMembers(members);
    } catch (error) {
      this.#log.debug({ error: messageOf(error) }, 'the members of the fleet cannot be read');
    } finally {
      this.#isReading = false;
    }
  }

  close() {
    for (const end of this.#ends) end();
  }
}

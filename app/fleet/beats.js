/** Sends the beats of this node, receives those of the others, and knows which nodes belong to the fleet. */
import { messageOf } from '../errors.js';
import { PROTOCOL, parseBeat, senderOf } from './wire.js';
import { noteStart, readMembers } from './members.js';
import { BEAT_MS } from './membership.js';
import { repeatAll } from './shared-map.js';

export const BEATS = 'pitv.beat';
/** Interval at which the members are read. */
const MEMBERS_MS = 5000;
const MAX_OTHERS = 256;
/** Time until another server may be left because it does not reach a node. */
const DETOUR_MS = 5000;

export class Beats {
  #fleet;
  #isReading = false;
  #nextDetour = 0;
  /** The matches whose frames this node has asked for. */
  #wanted = '';
  /** Nodes of another protocol, or with the name of this one, that were logged. @type {Set<string>} */
  #others = new Set();
  #afterSend = () => {};
  /** @type {(() => void)[]} */
  #ends = [];

  /** @param {import('./fleet.js').Fleet} fleet */
  constructor(fleet) {
    this.#fleet = fleet;
  }

  /** @param {() => void} afterSend is called after each beat that was sent */
  open(afterSend) {
    this.#afterSend = afterSend;
    const timers = [
      setInterval(() => this.send(), BEAT_MS).unref(),
      setInterval(() => void this.#readMembers(), MEMBERS_MS).unref(),
    ];
    const { connection } = this.#fleet;
    connection.onReconnect = () => this.send(); // before the others miss this node
    this.#ends = [
      connection.subscribe(BEATS, ({ data }) => this.#receive(data)),
      ...timers.map((timer) => () => clearInterval(timer)),
    ];
    this.#fleet.membership.listen();
    this.send();
  }

  /** Sends a beat, and does what is due with each. */
  send() {
    const { connection, membership, nodes, guard } = this.#fleet;
    const about = nodes.self;
    this.#wanted = String(about.wanted);
    connection.publish(BEATS, JSON.stringify({ ...membership.beat(about), protocol: PROTOCOL }));
    nodes.logChanges();
    guard.check();
    this.#takeDetour();
    this.#afterSend();
  }

  /** Uses the server of a node that hears one whose beats do not come: servers do not forward for each other. */
  #takeDetour() {
    const { connection, membership, log } = this.#fleet;
    const { detour } = membership;
    const now = membership.clock();
    if (!detour || now < this.#nextDetour || detour.about.server === connection.address) return;
    this.#nextDetour = now + DETOUR_MS;
    const { missed, through, about } = detour;
    log.warn(
      { missed, through },
      'the server of this node does not reach another node; using another one',
    );
    connection.leaveServer(about.server);
  }

  /** Tells the others at once which frames this node needs, if that has changed. */
  wantedChanged() {
    if (String(this.#fleet.nodes.wanted) !== this.#wanted) this.send();
  }

  /** @param {Uint8Array} bytes */
  #receive(bytes) {
    const beat = parseBeat(bytes);
    if (!beat || beat.node === this.#fleet.node) this.#noteOther(bytes);
    else if (!this.#fleet.membership.members.includes(beat.node)) void this.#readMembers();
    else this.#receiveBeat(beat);
  }

  /** @param {import('./membership.js').Beat} beat of a member */
  #receiveBeat(beat) {
    const { membership, guard, tables } = this.#fleet;
    const isNewStart = membership.isNewStart(beat);
    if (!membership.receive(beat)) return;
    if (isNewStart) repeatAll(tables); // it has missed changes that were sent and not written when it read
    if (guard.checkStart()) this.#startAgain();
  }

  /** Logs once that a node has another protocol, or the name of this one. @param {Uint8Array} bytes of its beat */
  #noteOther(bytes) {
    const { node, log } = this.#fleet;
    const sender = senderOf(bytes);
    if (!sender || this.#others.has(sender.node) || this.#others.size === MAX_OTHERS) return;
    const isTwin = sender.node === node;
    if (sender.protocol === PROTOCOL && !isTwin) return;
    this.#others.add(sender.node);
    if (isTwin) log.error({ node }, 'another TV has the name of this one: change --fleet-node');
    else log.warn(sender, 'a node of another version is not part of this fleet');
  }

  #startAgain() {
    this.send();
    const { membership, members, log } = this.#fleet;
    noteStart(members, membership.node, membership.start).catch((error) => {
      log.debug({ error: messageOf(error) }, 'a new start was not noted');
    });
  }

  async #readMembers() {
    if (this.#isReading) return;
    this.#isReading = true;
    const { membership, log } = this.#fleet;
    try {
      const members = await readMembers(this.#fleet.members);
      if (members.has(membership.node)) membership.setMembers(members);
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'the members of the fleet cannot be read');
    } finally {
      this.#isReading = false;
    }
  }

  close() {
    for (const end of this.#ends) end();
  }
}

/**
 * The party of a fleet. One node runs it: it starts the games and counts the points. All others show the record that it
 * writes. When the node is dead, the first of the living ones goes on with it.
 */
import { PitvError } from '../errors.js';
import { Party } from '../lobby/party.js';
import { integer, optional, shape } from '../options.js';
import { isParty } from '../storage/people-file.js';
import { NODE_NAME } from './wire.js';
import { OWNER } from './requests.js';

const KEY = 'party';

/**
 * @typedef {object} PartyRecord
 * @property {import('../lobby/party.js').SavedParty} [party] undefined: there is none
 * @property {string} node that runs it @property {number} start of that node, see membership.js
 * @property {number} epoch grows with each party and with each node that runs it
 *
 * @typedef {Parameters<Party['start']>[0]} How
 * @typedef {'start' | 'next' | 'stop'} Command
 */

const RECORD = shape({ node: NODE_NAME, start: integer(1), epoch: integer(1) });
/** Tells whether a value is a record of a party. @param {string} key @param {any} record */
export const isPartyRecord = (key, record) =>
  key === KEY && RECORD.accepts(record) && (record.party === undefined || isParty(record.party));

export class FleetParty extends Party {
  #fleet;
  /** The epoch in which this node runs the party; 0: another node runs it, or none. */
  #epoch = 0;
  /** The start of this node in which it has begun to. */
  #start = 0;
  /** The other nodes do not know the newest state. */
  #isUntold = false;

  /** @param {ConstructorParameters<typeof Party>[0]} services @param {import('./fleet.js').Fleet} fleet */
  constructor(services, fleet) {
    super(services);
    this.#fleet = fleet;
    fleet.tables.on('party', () => this.#follow());
    this.#follow();
  }

  /** @returns {PartyRecord | undefined} */
  get #record() {
    return this.#fleet.tables.get('party', KEY);
  }
  get runs() {
    return this.#epoch > 0 && this.#start === this.#fleet.membership.start;
  }
  get mayPlay() {
    const { membership, guard, partition } = this.#fleet;
    return membership.hasLease || (partition === 'continue' && guard.isCutOff);
  }

  /** Name of the node that runs the party; null without one. */
  get node() {
    return this.progress && (this.runs ? this.#fleet.node : this.#record?.node);
  }

  /** The fleet knows the party better than the file of this node does. */
  restore() {}
  /** See restore(). */
  goOn() {}

  /** Shows what another node has told. */
  #follow() {
    this.#epoch = 0;
    this.#isUntold = false;
    super.show(this.#record?.party);
    this.lobby.emit('change');
  }

  claim() {
    this.#epoch = Math.max(this.#epoch, this.#record?.epoch ?? 0) + 1;
    this.#start = this.#fleet.membership.start;
  }

  changed() {
    super.changed();
    if (!this.runs) return;
    this.#isUntold = true;
    this.#tell();
  }

  /** Tells the other nodes the state, unless one of them may have taken over the party. */
  #tell() {
    const { membership, guard, tables } = this.#fleet;
    if (!this.#isUntold || !membership.hasLease || guard.isBehind) return;
    this.#isUntold = false;
    const { node, start } = membership;
    tables.set('party', KEY, { party: this.save(), node, start, epoch: this.#epoch });
  }

  /** Takes over the party of a dead node, if it is this node's turn. Call it after each beat. */
  check() {
    const { membership, guard, nodes } = this.#fleet;
    if (!membership.hasLease || guard.isBehind) return;
    this.#tell();
    const record = this.#record;
    if (this.runs || !record?.party || record.party.phase === 'over') return;
    if (nodes.first !== membership.node) return;
    if (!membership.isDead(record.node, record.start)) return;
    const { party, node: from } = record;
    this.log.info({ from }, 'the party goes on here');
    super.show(party);
    this.claim();
    super.goOn(party.match === undefined ? undefined : this.#fleet.record(party.match)?.end);
  }

  // Commands of screens and phones.

  /** The node that runs the party, or would run one. */
  get #runner() {
    const { isOpen, membership, nodes } = this.#fleet;
    const { node, party } = this.#record ?? {};
    if (this.runs || !isOpen) return membership.node;
    return party && node && !membership.isGone(node) ? node : nodes.first;
  }

  /** @param {How} how */
  start(how) {
    return this.#command('start', how);
  }
  next() {
    return this.#command('next', {});
  }
  /** @param {string} owner @param {boolean} [isScreen] */
  stop(owner, isScreen) {
    return this.#command('stop', { owner, isScreen });
  }

  /** Has a command performed where the party runs. @param {Command} command @param {any} about */
  async #command(command, about) {
    await this.#fleet.ask(this.#runner, 'party', { command, about });
  }

  /** Performs a command on this node, also for another one. @param {Command} command @param {any} about */
  async perform(command, { games, first, owner, client, isScreen }) {
    if (command === 'next') return super.next();
    if (!OWNER.accepts(owner) || !optional(OWNER).accepts(client)) {
      throw new PitvError('PITV_REQUEST_INVALID', 'The party has no owner.');
    }
    if (command === 'start') return super.start({ games, first, owner, client });
    if (command !== 'stop') return undefined;
    if (!this.runs) this.claim(); // the node that ran it is gone
    return super.stop(owner, isScreen === true);
  }
}

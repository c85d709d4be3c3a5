/**
 * Which nodes belong to a fleet: one value of its bucket, to which each node adds itself. `pitv fleet forget` removes
 * one that is gone for good.
 */
import { PitvError } from '../errors.js';
import { anyText, integer, optional, shape } from '../options.js';
import { PROTOCOL, isNodeName } from './wire.js';
import { STARTS } from './membership.js';

/** Bucket that has them. */
export const MEMBERS = 'pitv-members';
/** Opens it. @param {import('./connection.js').FleetConnection} connection */
export const openMembers = (connection) => connection.openBucket(MEMBERS, { storage: 'file' });
const KEY = 'members';
const FENCE = 'fence';
const MAX_TRIES = 16;
const MAX_CODE = 16;
const MEMBER = shape({
  start: integer(1),
  index: integer(0),
  protocol: integer(1),
  code: optional(anyText(MAX_CODE)),
});

/**
 * @typedef {object} Member
 * @property {number} start number of the node's last start
 * @property {number} index number of the node in the fleet, from 0
 * @property {number} protocol that the node has spoken at its last start
 * @property {string} code to join the fleet, the same for all nodes
 *
 * @typedef {Map<string, Member>} Members
 */

/** @param {import('@nats-io/kv').KV} bucket @returns {Promise<Members>} */
export async function readMembers(bucket) {
  return parse(await bucket.get(KEY));
}

/**
 * Changes the members, again until the bucket has the change. Of two writes that expect the same revision, servers with
 * copies may take both (nats-server issue 4320): the second one is in their log before the first one is answered, and
 * so before FENCE, which is written then.
 * @param {import('@nats-io/kv').KV} bucket
 * @param {(members: Members) => void} change does nothing to members that it has changed @returns {Promise<Members>}
 */
async function changeMembers(bucket, change) {
  let isFenced = false;
  for (let tries = 0; ; tries++) {
    const entry = await bucket.get(KEY);
    const members = parse(entry);
    change(members);
    const text = JSON.stringify(Object.fromEntries(members));
    const isWritten = entry?.string() === text;
    if (isWritten && isFenced) return members;
    try {
      if (!isWritten) await bucket.put(KEY, text, { previousSeq: entry?.revision ?? 0 });
      await bucket.put(FENCE, '');
      isFenced = true;
    } catch (error) {
      if (tries === MAX_TRIES) throw error; // other nodes join at the same time
    }
  }
}

/**
 * Adds this node to the fleet, or finds it there, and begins a new start.
 * @param {import('@nats-io/kv').KV} bucket @param {string} node
 * @param {string} given the join code, if the fleet has none @returns {Promise<{member: Member, members: Members}>}
 */
export async function joinMembers(bucket, node, given) {
  let start = 0;
  const members = await changeMembers(bucket, (all) => {
    const known = all.get(node);
    start ||= (Math.floor((known?.start ?? 0) / STARTS) + 1) * STARTS;
    const taken = [...all.values()].map(({ index }) => index);
    const free = taken.findIndex((_index, i) => !taken.includes(i));
    const code = [...all.values()].find((each) => each.code)?.code ?? given;
    const index = known?.index ?? (free < 0 ? taken.length : free);
    all.set(node, { start, index, protocol: PROTOCOL, code });
  });
  return { member: /** @type {Member} */ (members.get(node)), members };
}

/**
 * Notes a start that a node has begun while it ran.
 * @param {import('@nats-io/kv').KV} bucket @param {string} node @param {number} start
 */
export const noteStart = (bucket, node, start) =>
  changeMembers(bucket, (all) => {
    const member = all.get(node);
    if (member) member.start = Math.max(member.start, start);
  });

/** Removes a node. @param {import('@nats-io/kv').KV} bucket @param {string} node @throws {PitvError} PITV_FLEET_NAME */
export async function forgetMember(bucket, node) {
  let isForgotten = false;
  return changeMembers(bucket, (all) => {
    isForgotten = all.delete(node) || isForgotten;
    if (isForgotten) return;
    const sentence = `There is no node "${node}". The fleet has: ${[...all.keys()].join(', ')}.`;
    throw new PitvError('PITV_FLEET_NAME', sentence);
  });
}

/** @param {import('@nats-io/kv').KvEntry | null} entry @returns {Members} */
function parse(entry) {
  if (entry?.operation !== 'PUT') return new Map();
  const members = Object.entries(/** @type {Record<string, Member>} */ (entry.json()));
  return new Map(members.filter(([name, member]) => isNodeName(name) && MEMBER.accepts(member)));
}

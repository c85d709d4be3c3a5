/**
 * Which nodes belong to a fleet: one value of a bucket, to which each node adds itself. `pitv fleet forget` removes one
 * that is gone for good.
 */
import { PitvError } from '../errors.js';
import { integer, shape } from '../options.js';
import { PROTOCOL, isNodeName } from './wire.js';
import { STARTS } from './membership.js';

const KEY = 'members';
const MAX_TRIES = 16;
const MEMBER = shape({ start: integer(1), index: integer(0), protocol: integer(1) });

/**
 * @typedef {object} Member
 * @property {number} start number of the node's last start
 * @property {number} index number of the node in the fleet, from 0
 * @property {number} protocol that the node has spoken at its last start
 *
 * @typedef {Map<string, Member>} Members
 */

/** @param {import('./connection.js').FleetConnection} connection */
export const openMembers = (connection) =>
  connection.openBucket('pitv-members', { storage: 'file' });

/** @param {import('@nats-io/kv').KV} bucket @returns {Promise<Members>} */
export async function readMembers(bucket) {
  return parse(await bucket.get(KEY));
}

/**
 * Changes the members.
 * @param {import('@nats-io/kv').KV} bucket @param {(members: Members) => void} change @returns {Promise<Members>}
 */
async function changeMembers(bucket, change) {
  for (let tries = 0; ; tries++) {
    const entry = await bucket.get(KEY);
    const members = parse(entry);
    change(members);
    const text = JSON.stringify(Object.fromEntries(members));
    try {
      await bucket.put(KEY, text, { previousSeq: entry?.revision ?? 0 });
      return members;
    } catch (error) {
      if (tries === MAX_TRIES) throw error; // other nodes join at the same time
    }
  }
}

/**
 * Adds this node to the fleet, or finds it there, and begins a new start.
 * @param {import('@nats-io/kv').KV} bucket @param {string} node @returns {Promise<{member: Member, members: Members}>}
 */
export async function joinMembers(bucket, node) {
  const members = await changeMembers(bucket, (all) => {
    const known = all.get(node);
    const taken = [...all.values()].map(({ index }) => index);
    const start = (Math.floor((known?.start ?? 0) / STARTS) + 1) * STARTS;
    all.set(node, { start, index: known?.index ?? freeIndex(taken), protocol: PROTOCOL });
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
export const forgetMember = (bucket, node) =>
  changeMembers(bucket, (all) => {
    if (all.delete(node)) return;
    const sentence = `There is no node "${node}". The fleet has: ${[...all.keys()].join(', ')}.`;
    throw new PitvError('PITV_FLEET_NAME', sentence);
  });

/** @param {import('@nats-io/kv').KvEntry | null} entry @returns {Members} */
function parse(entry) {
  if (entry?.operation !== 'PUT') return new Map();
  const members = Object.entries(/** @type {Record<string, Member>} */ (entry.json()));
  return new Map(members.filter(([name, member]) => isNodeName(name) && MEMBER.accepts(member)));
}

/** @param {number[]} taken */
function freeIndex(taken) {
  let index = 0;
  while (taken.includes(index)) index++;
  return index;
}

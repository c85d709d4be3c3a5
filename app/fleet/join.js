/** Joins a fleet: connects, becomes a member, and reads what all nodes share. */
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError, messageOf } from '../errors.js';
import { randomCode } from '../lobby/join-code.js';
import { list } from '../options.js';
import { SHA256 } from '../storage/checks.js';
import { MAX_SCREENS } from '../storage/people-file.js';
import { PROTOCOL, isNodeName, isOffer } from './wire.js';
import { Checkpoints } from './checkpoints.js';
import { FleetConnection, explainJetStream } from './connection.js';
import { isPartyRecord } from './fleet-party.js';
import { isSetting } from './fleet-password.js';
import { isPlayerState } from './fleet-players.js';
import { isMatchRecord } from './match-records.js';
import { joinMembers, openMembers, readMembers } from './members.js';
import { Membership } from './membership.js';
import { isThere } from './requests.js';
import { CHANGES, Tables, openTableBucket } from './tables.js';

/** How long a node waits until a majority of the servers runs. */
const JOIN_MS = 60_000;
const PAUSE_MS = 500;

const SCREENS = list(SHA256, 0, MAX_SCREENS);

/** The tables that all nodes have, with the checks of their keys and values. */
const CHECKS = Object.freeze({
  players: isPlayerState,
  matches: isMatchRecord,
  party: isPartyRecord,
  nodes: isOffer,
  settings: isSetting,
  screens: (/** @type {string} */ node, /** @type {unknown} */ hashes) =>
    isNodeName(node) && SCREENS.accepts(hashes),
});

/**
 * @typedef {keyof typeof CHECKS} Table
 *
 * @typedef {object} Joined
 * @property {FleetConnection} connection
 * @property {Membership} membership
 * @property {Tables} tables
 * @property {Checkpoints} checkpoints
 * @property {string} code to join
 * @property {number} index number of this node
 */

/** Returns the name of a node that has none. */
const defaultName = () =>
  hostname()
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 63) || 'pitv';

/**
 * Joins a fleet. Waits until its servers answer.
 * @param {import('./fleet.js').FleetSettings} options @returns {Promise<Joined>}
 * @throws {PitvError} PITV_FLEET_AWAY, PITV_FLEET_CREDENTIALS, PITV_FLEET_NAME, PITV_FLEET_VERSION
 */
export async function join(options) {
  const node = options.name || defaultName();
  if (!isNodeName(node)) {
    const sentence = `"${node}" cannot be the name of a node: use up to 64 small letters, digits and hyphens.`;
    throw new PitvError('PITV_FLEET_NAME', sentence);
  }
  const end = performance.now() + JOIN_MS;
  for (let said = ''; ;) {
    try {
      return await joinOnce(options, node);
    } catch (error) {
      const isAway = Reflect.get(Object(error), 'code') === 'PITV_FLEET_AWAY';
      if (!isAway || performance.now() > end) throw error;
      const why = messageOf(error);
      if (why !== said) options.log.warn({ error: why }, 'waiting for the fleet');
      said = why;
      await delay(PAUSE_MS);
    }
  }
}

/** @param {import('./fleet.js').FleetSettings} options @param {string} node @returns {Promise<Joined>} */
async function joinOnce(options, node) {
  const connection = await FleetConnection.open({ ...options, node });
  const checkpoints = new Checkpoints(connection, node);
  try {
    // Side by side: JetStream on a busy machine takes seconds for each bucket.
    const [tables] = await Promise.all([openTables(connection, node), checkpoints.open()]);
    await checkOthers(connection, tables.members, node);
    const code = options.code ?? randomCode();
    const { member, members } = await joinMembers(tables.members, node, code);
    const { start, index } = member;
    const membership = new Membership({ node, start });
    membership.setMembers(members);
    return { connection, membership, tables, checkpoints, code: member.code, index };
  } catch (error) {
    await connection.close();
    throw explainJetStream(error);
  }
}

/**
 * Opens the tables, and reads them.
 * @param {FleetConnection} connection @param {string} node name of this node @returns {Promise<Tables>}
 */
export async function openTables(connection, node) {
  const [members, bucket] = await Promise.all([
    openMembers(connection),
    openTableBucket(connection),
  ]);
  /** @type {Tables['isValid']} */
  const isValid = ({ table, key, value }) =>
    Object.hasOwn(CHECKS, table) && (value === null || CHECKS[table](key, value));
  const tables = new Tables({ node, bucket, members, connection, isValid });
  connection.subscribe(CHANGES, (message) => tables.receive(message));
  await tables.read();
  return tables;
}

/**
 * Makes sure that no living node has the name of this one or speaks another protocol. Nodes that were of another
 * version and are away do not count: all nodes of a fleet can be updated at once.
 * @param {FleetConnection} connection @param {import('@nats-io/kv').KV} bucket of the members
 * @param {string} node name of this node @throws {PitvError} PITV_FLEET_NAME, PITV_FLEET_VERSION
 */
async function checkOthers(connection, bucket, node) {
  for (const [other, { protocol }] of await readMembers(bucket)) {
    const isFine = other !== node && protocol === PROTOCOL;
    if (isFine || !(await isThere(connection, other))) continue;
    if (other === node) {
      const sentence = `Another TV of the fleet has the name "${node}". Give this one another name with --fleet-node.`;
      throw new PitvError('PITV_FLEET_NAME', sentence);
    }
    throw new PitvError(
      'PITV_FLEET_VERSION',
      `The TVs of this fleet speak version ${protocol} of its protocol ("${other}" does), and this one speaks version ${PROTOCOL}. Install the same version of pitv on all of them.`,
    );
  }
}

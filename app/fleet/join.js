/** Joins a fleet: connects, becomes a member, and reads what all nodes share. */
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError, messageOf } from '../errors.js';
import { randomCode } from '../lobby/join-code.js';
import { isSha256, isText } from '../storage/checks.js';
import { PROTOCOL, isAddressList, isNodeName } from './wire.js';
import { Checkpoints } from './checkpoints.js';
import { FleetConnection, explainJetStream } from './connection.js';
import { isGameList } from './fleet-games.js';
import { isPartyRecord } from './fleet-party.js';
import { isSetting } from './fleet-password.js';
import { isPlayerState } from './fleet-players.js';
import { isMatchRecord } from './match-records.js';
import { joinMembers, openMembers, readMembers } from './members.js';
import { Membership } from './membership.js';
import { isThere } from './requests.js';
import { openTable } from './shared-map.js';

/** How long a node waits until a majority of the servers runs. */
const JOIN_MS = 60_000;
const PAUSE_MS = 500;
const CODE_KEY = 'code';
const MAX_CODE = 16;

/** The tables that all nodes have, with the checks of their values. */
const TABLES = Object.freeze({
  players: isPlayerState,
  matches: isMatchRecord,
  party: isPartyRecord,
  games: isGameList,
  addresses: isAddressList,
  settings: isSetting,
  screens: (/** @type {string} */ hash, /** @type {unknown} */ value) =>
    isSha256(hash) && value === true,
  lobby: (/** @type {string} */ key, /** @type {unknown} */ value) =>
    key === CODE_KEY && isText(value, MAX_CODE),
});

/**
 * @typedef {object} Joined
 * @property {FleetConnection} connection
 * @property {Membership} membership
 * @property {import('@nats-io/kv').KV} members the bucket
 * @property {Record<keyof typeof TABLES, import('./shared-map.js').SharedMap>} tables
 * @property {Checkpoints} checkpoints
 * @property {string} code to join
 * @property {number} index number of this node
 */

/** Returns the name of a node that has none. @param {string} [host] @returns {string} */
const defaultName = (host = hostname()) =>
  host
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
  for (;;) {
    try {
      return await joinOnce(options, node);
    } catch (error) {
      const isAway = Reflect.get(Object(error), 'code') === 'PITV_FLEET_AWAY';
      if (!isAway || performance.now() > end) throw error;
      options.log.warn({ error: messageOf(error) }, 'waiting for the fleet');
      await delay(PAUSE_MS);
    }
  }
}

/** @param {import('./fleet.js').FleetSettings} options @param {string} node @returns {Promise<Joined>} */
async function joinOnce(options, node) {
  const { log } = options;
  const connection = await FleetConnection.open({ ...options, node });
  const checkpoints = new Checkpoints({ node, connection, log });
  try {
    // Side by side: JetStream on a busy machine takes seconds for each bucket.
    const [members, tables] = await Promise.all([
      openMembers(connection),
      openTables(connection, { node, log }),
      checkpoints.open(),
    ]);
    await checkOthers(connection, members, node);
    const { member, members: all } = await joinMembers(members, node);
    const { start, index } = member;
    const membership = new Membership({ node, start });
    membership.setMembers(all);
    const code = await commonCode(tables.lobby, options.code);
    return { connection, membership, members, tables, checkpoints, code, index };
  } catch (error) {
    checkpoints.close();
    await connection.close();
    throw explainJetStream(error);
  }
}

/**
 * Opens all tables.
 * @param {FleetConnection} connection @param {{node: string, log: import('pino').Logger}} options
 * @returns {Promise<Joined['tables']>}
 */
async function openTables(connection, options) {
  const tables = Object.entries(TABLES).map(async ([name, isValid]) => [
    name,
    await openTable(connection, name, { ...options, isValid }),
  ]);
  return Object.fromEntries(await Promise.all(tables));
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

/**
 * Returns the join code of the fleet; the first node sets it.
 * @param {Joined['tables']['lobby']} table @param {string} [given] random by default @returns {Promise<string>}
 */
async function commonCode(table, given = randomCode()) {
  for (;;) {
    const code = table.get(CODE_KEY);
    if (code) return code;
    const change = { key: CODE_KEY, version: 1, node: table.node, value: given };
    await table.bucket.create(CODE_KEY, JSON.stringify(change)).catch((error) => {
      table.log.debug({ error: messageOf(error) }, 'another node has made the code');
    });
    await table.read();
  }
}

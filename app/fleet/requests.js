/** Requests between nodes: start, join, leave, pause, stop and adopt a match. */
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError, messageOf } from '../errors.js';
import { anyText, integer } from '../options.js';
import { checkOptions } from '../packages/catalog.js';
import { PLAYER_NAME, SHA256 } from '../storage/checks.js';
import { gameOf } from './match-records.js';

const TIMEOUT_MS = 5000;
/** A node that drains moves all of its matches, one after the other. */
export const DRAIN_MS = 60_000;
/** How long a match may take to move, and the pause before its node is asked again. */
const MOVE_MS = 20_000;
const AGAIN_MS = 100;
export const OWNER = anyText(256);
const POSITION = integer(0);
/** Length of the message of an error, which may quote the request. */
const MAX_MESSAGE = 1000;
/** Files are sent in small parts, each when it is asked for, so that frames do not wait. */
export const FILE_PART_BYTES = 32 * 1024;
const subjectOf = (/** @type {string} */ node) => `pitv.node.${node}`;

/**
 * Asks a node for something.
 * @param {import('./connection.js').FleetConnection} connection
 * @param {string} node @param {string} operation @param {object} about
 * @param {number} [timeout] ms @returns {Promise<any>}
 * @throws {PitvError} the node's error; PITV_FLEET_AWAY: it does not answer
 */
export async function askNode(connection, node, operation, about, timeout = TIMEOUT_MS) {
  let answer;
  try {
    const text = JSON.stringify({ ...about, operation });
    const message = await connection.nats.request(subjectOf(node), text, { timeout });
    answer = message.json();
  } catch (error) {
    const sentence = `The node "${node}" does not answer: ${messageOf(error)}.`;
    throw new PitvError('PITV_FLEET_AWAY', sentence, { cause: error });
  }
  const { error, result } = /** @type {any} */ (Object(answer));
  if (error) throw new PitvError(error.code, error.message);
  return result;
}

/**
 * Asks the node that runs a match. While the match moves, asks again.
 * @param {import('./fleet.js').Fleet} fleet
 * @param {number} id of the match @param {string} operation @param {object} about @returns {Promise<any>}
 * @throws {PitvError} see askNode()
 */
export async function askOwner(fleet, id, operation, about) {
  for (const end = performance.now() + MOVE_MS; ; await delay(AGAIN_MS)) {
    try {
      const node = fleet.record(id)?.node ?? ''; // it may have moved here
      return await fleet.ask(node, operation, { match: id, ...about });
    } catch (error) {
      const record = fleet.record(id);
      const { code } = /** @type {any} */ (error);
      const mayMove = code === 'PITV_FLEET_AWAY' || code === 'PITV_MATCH_UNKNOWN';
      if (!mayMove || !record || record.end || performance.now() > end) throw error;
    }
  }
}

/**
 * Tells whether a node of any version is there.
 * @param {import('./connection.js').FleetConnection} connection @param {string} node @returns {Promise<boolean>}
 * @throws {PitvError} PITV_FLEET_AWAY: it may be, and does not answer
 */
export async function isThere(connection, node) {
  try {
    await askNode(connection, node, 'hello', {});
  } catch (error) {
    const { code, cause } = /** @type {any} */ (error);
    if (code === 'PITV_FLEET_AWAY' && !cause?.isNoResponders?.()) throw error;
    return code !== 'PITV_FLEET_AWAY';
  }
  return true;
}

/**
 * Answers a request of another node.
 * @param {import('./fleet.js').Fleet} fleet @param {import('@nats-io/transport-node').Msg} message
 */
export async function answerRequest(fleet, message) {
  let answer;
  try {
    answer = { result: (await performRequest(fleet, Object(message.json()))) ?? {} };
  } catch (error) {
    const code = error instanceof PitvError ? error.code : 'PITV_INTERNAL';
    answer = { error: { code, message: messageOf(error).slice(0, MAX_MESSAGE) } };
  }
  try {
    message.respond(JSON.stringify(answer));
  } catch (error) {
    // The answer is longer than the servers allow, or this node has left the fleet meanwhile.
    fleet.log.debug({ error: messageOf(error) }, 'a request is not answered');
  }
}

/** Performs a request. @param {import('./fleet.js').Fleet} fleet @param {any} request */
export function performRequest(fleet, request) {
  const name = String(request.operation);
  if (Object.hasOwn(OPERATIONS, name)) return OPERATIONS[name](fleet, request);
  throw new PitvError('PITV_REQUEST_INVALID', `There is no request "${name}".`);
}

/** @param {import('./fleet.js').Fleet} fleet @param {any} request */
function matchOf({ lobby }, { match: id }) {
  const match = lobby.match(id);
  if (!match.isOwn) throw new PitvError('PITV_MATCH_UNKNOWN', 'Another node runs this match.');
  return match;
}

/** @param {import('./fleet.js').Fleet} fleet @param {any} request */
function playerOf({ lobby }, { player: id }) {
  const player = lobby.players.get(id);
  if (!player) throw new PitvError('PITV_REQUEST_INVALID', 'There is no such player.');
  return player;
}

/** @type {Record<string, (fleet: import('./fleet.js').Fleet, request: any) => any>} */
const OPERATIONS = {
  hello: ({ nodes }) => nodes.self,
  async start({ lobby, games }, { game: id, hash, options, owner, tokenHash, first }) {
    const game = lobby.game(id);
    if (!SHA256.accepts(tokenHash) || !OWNER.accepts(owner)) {
      throw new PitvError('PITV_REQUEST_INVALID', 'The match has no owner.');
    }
    if (!games.own({ id, hash })) {
      const sentence = `${game.title} has another version here.`;
      throw new PitvError('PITV_CHECKPOINT_OTHER_VERSION', sentence);
    }
    const checked = checkOptions(game, options);
    await game.prepare?.(checked);
    const match = await lobby.beginHere({
      game,
      options: checked,
      owner,
      tokenHash: Buffer.from(tokenHash, 'hex'),
      first: lobby.players.get(first),
    });
    return { id: match.id };
  },
  join(fleet, request) {
    const match = matchOf(fleet, request);
    const player = playerOf(fleet, request);
    if (player.match !== match) match.join(player);
  },
  leave(fleet, request) {
    matchOf(fleet, request).leave(playerOf(fleet, request));
  },
  async stop(fleet, request) {
    const { reason } = request;
    await matchOf(fleet, request).stop(reason === 'empty' ? 'empty' : 'stopped');
  },
  pause(fleet, request) {
    const { by } = request;
    if (by !== undefined && !PLAYER_NAME.accepts(by)) {
      throw new PitvError('PITV_REQUEST_INVALID', 'The name is no text.');
    }
    matchOf(fleet, request).pause(by);
  },
  drain: async (fleet, { on }) => ({ matches: await fleet.drain(on === true) }),
  game: ({ games }, { id, hash, options }) =>
    games.describe({ id: String(id), hash: String(hash) }, options),
  /** Reads a part of what a game shows or plays. */
  async file({ files }, { kind, about, at }) {
    const path = await files.get(String(kind))?.(Object(about));
    const file = POSITION.accepts(at) && path && (await open(path).catch(() => undefined));
    if (!file) throw new PitvError('PITV_NOT_FOUND', 'There is no such file.');
    try {
      const bytes = Buffer.alloc(FILE_PART_BYTES);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
      return { part: bytes.toString('base64', 0, bytesRead) };
    } finally {
      await file.close();
    }
  },
  party: ({ party }, { command, about }) => party.perform(command, Object(about)),
  async adopt(fleet, { match: id }) {
    const record = fleet.record(id);
    if (record?.node === fleet.node && fleet.lobby.find(id)?.isOwn) return; // the last answer was lost
    const isPossible = record && fleet.games.own(gameOf(record));
    if (!isPossible || !(await fleet.matches.takeOver(record, 'drained'))) {
      throw new PitvError('PITV_CAPACITY', 'The match cannot be taken over.');
    }
  },
};

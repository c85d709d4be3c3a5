/**
 * Messages of other nodes to a TV of a fleet, over a real nats-server: beats, changes of the shared tables, frames,
 * inputs and requests. The sender has the credentials of the fleet. An input is one message.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BEATS } from '../../../app/fleet/beats.js';
import { FleetConnection } from '../../../app/fleet/connection.js';
import { joinMembers, openMembers } from '../../../app/fleet/members.js';
import { BEAT_MS, Membership } from '../../../app/fleet/membership.js';
import { PROTOCOL, encodeFrame, encodeInputs, parseBeat } from '../../../app/fleet/wire.js';
import { silentLog } from '../../../app/log.js';
import { LocalFleet, missingForFleet } from '../../../bench/harness/local-fleet.js';
import { PLAYER_COLORS } from '../../../app/match/player-colors.js';
import {
  almost,
  edited,
  jsonBytes,
  oddValue,
  randomBytes,
  weighted,
} from '../support/arbitraries.js';
import { Play } from '../support/play.js';

const HOST = '127.0.0.1';
const TV = 'tv';
/** A node that does what it should, so that the TV keeps its lease. */
const OTHER = 'other';
/** The node that sends the random messages. */
const THIRD = 'third';
/** Few ids, so that messages meet, and what they leave stays small. */
const MAX_PLAYER = 30;
const MAX_MATCH = 6;
/** The match that runs on the TV. */
const OWN_MATCH = 0;
const ANSWER_MS = 20_000;
const OPERATIONS = 'start join leave stop drain adopt game startParty nextGame stopParty __proto__';

const node = fc.constantFrom(THIRD, THIRD, TV, 'stranger', 'constructor');
const count = weighted([4, fc.integer({ min: 1, max: 5 })], [1, fc.nat()]);
const hash = fc.constantFrom('a'.repeat(64), 'b'.repeat(64), 'f'.repeat(64), '0');
const names = fc.string({ unit: 'grapheme', maxLength: 20 });
const playerId = fc.integer({ min: 1, max: MAX_PLAYER });
const matchId = fc.integer({ min: OWN_MATCH, max: MAX_MATCH });

const about = almost({
  version: names,
  urls: fc.array(fc.webUrl(), { maxLength: 2 }),
  room: fc.double({ noNaN: true }),
  matches: count,
  max: count,
  drains: fc.boolean(),
  leased: fc.boolean(),
  wanted: fc.array(matchId, { maxLength: 3 }),
});
const beat = almost({
  protocol: fc.constant(PROTOCOL),
  node,
  start: count,
  sequence: count,
  about,
  heard: fc.dictionary(node, fc.tuple(count, count, count)),
  dead: fc.dictionary(node, count),
});
const player = almost({
  id: playerId,
  name: names,
  color: fc.constantFrom(...PLAYER_COLORS, 'x'),
  tokenHash: hash,
  lastGame: names,
  connected: fc.boolean(),
  home: node,
});
const seat = almost({ slot: fc.nat(3), player: playerId });
const results = fc.array(oddValue, { maxLength: 2 });
const end = almost({ reason: names, message: names, results });
const match = almost({
  id: fc.integer({ min: 1, max: MAX_MATCH }),
  game: fc.constantFrom('endless', 'other'),
  hash: fc.constant('f'.repeat(64)),
  options: fc.constant({ seed: 1 }),
  owner: names,
  tokenHash: hash,
  seats: fc.array(seat, { maxLength: 3 }),
  node,
  start: count,
  epoch: count,
  restarts: count,
  from: node,
  end: fc.option(end, { nil: undefined, freq: 8 }),
});
/** Makes changes of values whose keys are their ids. @param {fc.Arbitrary<Record<string, unknown>>} value */
const changeOf = (value) =>
  value.chain((each) =>
    change(fc.constant(typeof each.id === 'number' ? each.id : 1), fc.constant(each)),
  );
/** @param {fc.Arbitrary<unknown>} key @param {fc.Arbitrary<unknown>} value */
const change = (key, value) => almost({ key: key.map(String), version: count, node, value });
const party = almost({
  node,
  start: count,
  epoch: count,
  party: fc.option(oddValue, { nil: undefined }),
});
const request = almost({
  operation: fc.constantFrom(...OPERATIONS.split(' ')),
  match: matchId,
  player: playerId,
  game: fc.constantFrom('endless', 'other'),
  hash,
  options: fc.constant({ seed: 1 }),
  owner: names,
  tokenHash: hash,
  first: playerId,
  on: fc.boolean(),
  reason: fc.constantFrom('empty', 'stopped'),
});
/** The start of a frame: version, kind, counts. */
const frame = fc
  .tuple(fc.nat(4), fc.nat(9), fc.uint8Array({ maxLength: 80 }))
  .map(([epoch, number, bytes]) =>
    Buffer.from(encodeFrame(epoch, number, Uint8Array.of(1, 1, ...bytes))),
  );
const input = fc.record({ slot: fc.nat(255), word: fc.integer(), sequence: fc.nat() });
const inputs = fc
  .tuple(fc.nat(4), fc.array(input, { maxLength: 4 }))
  .map(([epoch, list]) => Buffer.from(encodeInputs(epoch, list)));

/** @typedef {{subject: string, bytes: Buffer, match?: number}} Message */

/** @param {fc.Arbitrary<unknown>} value @returns {fc.Arbitrary<Buffer>} */
const json = (value) => weighted([3, jsonBytes(value)], [1, edited(jsonBytes(value))]);
/** @param {string} name @param {fc.Arbitrary<Buffer>} valid @returns {fc.Arbitrary<Message>} */
const on = (name, valid) =>
  weighted([4, valid], [1, randomBytes(60)]).map((bytes) => ({ subject: `pitv.${name}`, bytes }));
/** @param {string} name @param {fc.Arbitrary<Buffer>} valid @returns {fc.Arbitrary<Message>} */
const onMatch = (name, valid) =>
  fc.tuple(on(name, valid), matchId).map(([message, id]) => ({ ...message, match: id }));

/** Starts a server, and connects to it as another node. */
async function openServer() {
  const fleet = new LocalFleet({ count: 1 });
  await fleet.startServers();
  const { urls: servers, credentials } = fleet;
  const options = { servers, credentialsFile: credentials, caFile: '', log: silentLog };
  const open = (/** @type {string} */ node) => FleetConnection.open({ ...options, node });
  const connection = await open(THIRD);
  const other = await open(OTHER);
  const flags = ['--fleet', servers[0], '--fleet-credentials', credentials, '--fleet-node', TV];
  return { fleet, connection, other, flags };
}

/** Takes part in a fleet as OTHER. @param {FleetConnection} connection */
async function sendBeats(connection) {
  const members = await openMembers(connection);
  const { member } = await joinMembers(members, OTHER);
  await joinMembers(members, THIRD);
  const membership = new Membership({ node: OTHER, start: member.start });
  membership.setMembers(new Map([OTHER, TV].map((name) => [name, { start: 1 }])));
  connection.subscribe(BEATS, ({ data }) => {
    const heard = parseBeat(data);
    if (heard?.node === TV) membership.receive(heard);
  });
  const self = { version: '', urls: [], room: 0, matches: 0, max: 0 };
  const about = { ...self, drains: true, leased: true, wanted: [] };
  return setInterval(() => {
    connection.publish(BEATS, JSON.stringify({ ...membership.beat(about), protocol: PROTOCOL }));
  }, BEAT_MS);
}

/** @type {import('../support/target.js').Target<Message>} */
export default {
  missing: missingForFleet,
  batch: 60,
  input: fc.oneof(
    on('beat', json(beat)),
    on('shared.players', json(changeOf(player))),
    on('shared.matches', json(changeOf(match))),
    on('shared.screens', json(change(hash, fc.constant(true)))),
    on('shared.party', json(change(fc.constant('party'), party))),
    on('shared.lobby', json(change(fc.constant('code'), names))),
    on('shared.games', json(change(node, fc.array(almost({ id: names, hash }))))),
    on('shared.addresses', json(change(node, fc.array(fc.webUrl())))),
    on('shared.settings', json(change(fc.constant('admin-password'), oddValue))),
    on(`node.${TV}`, json(request)),
    onMatch('frame', edited(frame)),
    onMatch('input', edited(inputs)),
  ),
  async open() {
    if (missingForFleet) throw new Error(missingForFleet);
    const { fleet, connection, other, flags } = await openServer();
    const beats = await sendBeats(other);
    const play = await Play.open(flags);
    const { tv } = play;
    const own = tv.lobby.matches[0].id;
    return {
      async check(messages) {
        for (const { subject, bytes, match: id } of messages) {
          const end = id === undefined ? '' : `.${id || own}`;
          const from = subject === 'pitv.input' ? `.${THIRD}` : '';
          connection.publish(`${subject}${end}${from}`, bytes);
        }
        // It comes after all others.
        const answer = await connection.nats.request(`pitv.node.${TV}`, '{"operation":"none"}', {
          timeout: ANSWER_MS,
        });
        assert.equal(/** @type {any} */ (answer.json()).error.code, 'PITV_REQUEST_INVALID');
        checkLobby(tv);
      },
      async settle() {
        const { status } = await fetch(`http://${HOST}:${tv.port}/healthz`);
        assert.equal(status, 200);
      },
      async close() {
        await play.close();
        clearInterval(beats);
        await Promise.all([connection.close(), other.close()]);
        await fleet.stop();
      },
    };
  },
};

/** Asserts that all players and matches are valid. @param {import('../../../app/tv.js').Tv} tv */
function checkLobby({ lobby, admin }) {
  for (const { id, name, color, tokenHash } of lobby.players.all) {
    assert.ok(Number.isSafeInteger(id) && id > 0, `player ${id}`);
    assert.ok(typeof name === 'string' && name.length > 0);
    assert.doesNotMatch(name, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    assert.ok(PLAYER_COLORS.includes(color));
    assert.equal(tokenHash.length, 32);
  }
  for (const { id, tokenHash, seats } of lobby.matches) {
    assert.ok(Number.isInteger(id) && id > 0 && id <= 0xffff, `match ${id}`);
    assert.equal(tokenHash.length, 32);
    for (const { slot } of seats.slots) assert.ok(Number.isInteger(slot));
  }
  assert.equal(admin.sessions.count, 0, 'sessions of the admin');
}

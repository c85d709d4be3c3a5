/** Messages with frames and inputs. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { isMatchRecord } from '../../app/fleet/match-records.js';
import { Tables } from '../../app/fleet/tables.js';
import {
  PROTOCOL,
  decodeFrame,
  decodeInputs,
  encodeFrame,
  encodeInputs,
  parseBeat,
  senderOf,
} from '../../app/fleet/wire.js';

test('frames and inputs arrive as they were sent', () => {
  const bytes = Uint8Array.of(1, 2, 3);
  assert.deepEqual(decodeFrame(encodeFrame(7, 2 ** 32 - 1, bytes)), {
    epoch: 7,
    number: 2 ** 32 - 1,
    bytes: Buffer.from(bytes),
  });
  const inputs = [
    { slot: 0, word: -5, sequence: 1 },
    { slot: 255, word: 2 ** 30, sequence: 2 ** 32 - 1 },
  ];
  assert.deepEqual(decodeInputs(encodeInputs(3, inputs)), { epoch: 3, inputs });
  assert.deepEqual(decodeInputs(encodeInputs(3, [])), { epoch: 3, inputs: [] });
});

test('messages of a wrong length are none', () => {
  for (let length = 0; length < 8; length++) {
    assert.equal(decodeFrame(new Uint8Array(length)), undefined);
  }
  for (const length of [0, 3, 5, 12, 14, 4 + 9 * 257]) {
    assert.equal(decodeInputs(new Uint8Array(length)), undefined);
  }
});

test('a beat with a wrong field is none', () => {
  const about = {
    version: '1',
    urls: ['http://10.0.0.1:8080'],
    room: 1.5,
    matches: 0,
    max: 2,
    drains: false,
    leased: true,
    wanted: [7],
  };
  const beat = {
    protocol: PROTOCOL,
    node: 'a',
    start: 1,
    sequence: 1,
    heard: { b: [1, 2, 3] },
    dead: { c: 1 },
    about,
  };
  const parse = (/** @type {unknown} */ value) => parseBeat(Buffer.from(JSON.stringify(value)));
  assert.deepEqual(parse(beat), beat);
  const wrong = [
    null,
    [],
    { ...beat, node: 'A b' },
    { ...beat, protocol: PROTOCOL + 1 },
    { ...beat, start: 0 },
    { ...beat, sequence: 1.5 },
    { ...beat, heard: { b: [1] } },
    { ...beat, heard: { 'b.c': [1, 2] } },
    { ...beat, dead: { c: 'x' } },
    { ...beat, about: { ...about, room: null } },
    { ...beat, about: { ...about, urls: [1] } },
    { ...beat, about: { ...about, urls: ['ftp://10.0.0.1'] } },
    { ...beat, about: { ...about, urls: ['http://tv;x'] } }, // not in a header of all TVs
    { ...beat, about: { ...about, wanted: 'x' } },
  ];
  for (const value of wrong) assert.equal(parse(value), undefined, JSON.stringify(value));
  assert.equal(parseBeat(Buffer.from('{')), undefined);
  const older = Buffer.from(JSON.stringify({ node: 'a', protocol: PROTOCOL + 1 }));
  assert.deepEqual(senderOf(older), { node: 'a', protocol: PROTOCOL + 1 });
});

test('the record of a match that is over has results that every TV can count', () => {
  const result = { player: 1, name: 'Ann', color: '#fff', score: -5, winner: true, team: 0 };
  const team = { name: 'red', color: '#f00', score: 1, winner: false };
  const end = { reason: 'done', message: '', results: [result], teams: [team] };
  const record = {
    id: 7,
    game: 'a',
    hash: 'b',
    options: {},
    owner: 'c',
    tokenHash: 'd'.repeat(64),
    seats: [],
    node: 'a',
    start: 1,
    epoch: 1,
    restarts: 0,
    end,
  };
  assert.ok(isMatchRecord('7', record));
  assert.ok(isMatchRecord('7', { ...record, end: undefined }));
  const wrong = [
    { ...end, reason: 'burnt' },
    { ...end, results: [{ ...result, score: '5' }] },
    { ...end, results: [{ ...result, player: undefined }] },
    { ...end, results: [{ ...result, team: 4 }] },
    { ...end, teams: 2 },
    { ...end, teams: [{ ...team, winner: undefined }] },
  ];
  for (const each of wrong) {
    assert.ok(!isMatchRecord('7', { ...record, end: each }), JSON.stringify(each));
  }
});

/** Makes tables without servers. */
function makeTables() {
  const bucket = /** @type {any} */ ({ get: () => new Promise(() => {}) });
  const connection = /** @type {any} */ ({ publish() {} });
  return new Tables({ node: 'a', bucket, members: bucket, connection, isValid: () => true });
}

test('the results of a match are forgotten after ten minutes, and a match that runs never is', (t) => {
  const tables = makeTables();
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  tables.set('matches', '1', { end: {} });
  tables.set('matches', '2', {});
  const left = (/** @type {number} */ minutes) => {
    now += minutes * 60_000;
    tables.repeat();
    return [...tables.entries('matches')].map(([key]) => key);
  };
  assert.deepEqual([left(9), left(2), left(20)], [['1', '2'], ['2'], ['2']]);
});

test('other nodes can add a limited number of values to the tables, each of a limited length', () => {
  const tables = makeTables();
  const receive = (/** @type {object} */ fields, data = Buffer.alloc(0)) =>
    tables.receive({ json: () => ({ table: 'players', version: 1, node: 'b', ...fields }), data });
  receive({ key: 'long', value: 1 }, Buffer.alloc(256 * 1024 + 1));
  for (let i = 0; i < 20_000; i++) receive({ key: String(i), value: i });
  assert.equal([...tables.entries('players')].length, 16_384);
  receive({ key: '0', value: 'changed', version: 2 });
  assert.deepEqual(
    [tables.get('players', '0'), tables.get('players', 'long')],
    ['changed', undefined],
  );
});

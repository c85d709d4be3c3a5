/** Messages with frames and inputs. */
import assert from 'node:assert/strict';
import test from 'node:test';
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
    { ...beat, about: { ...about, wanted: 'x' } },
  ];
  for (const value of wrong) assert.equal(parse(value), undefined, JSON.stringify(value));
  assert.equal(parseBeat(Buffer.from('{')), undefined);
  const older = Buffer.from(JSON.stringify({ node: 'a', protocol: PROTOCOL + 1 }));
  assert.deepEqual(senderOf(older), { node: 'a', protocol: PROTOCOL + 1 });
});

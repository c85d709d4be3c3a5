/** The parsers of websocket messages, called directly. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PitvError } from '../../../app/errors.js';
import { cleanName } from '../../../app/lobby/player-name.js';
import { PadState, parseText } from '../../../app/server/messages.js';
import { edited, jsonBytes, oddValue, randomBytes } from '../support/arbitraries.js';

const MAX_AXIS = 127;
const NAME_MAX = 14 * 8; // UTF-16 units of 14 letters, each with marks or of an emoji

const text = jsonBytes(fc.oneof(oddValue, fc.record({ t: oddValue, name: oddValue })));
const binary = fc
  .tuple(fc.uint8Array({ minLength: 7, maxLength: 7 }))
  .map(([rest]) => Buffer.from([1, ...rest]));

/** @param {Buffer} bytes */
function checkText(bytes) {
  try {
    const message = parseText(bytes);
    assert.equal(typeof message.t, 'string');
    assert.ok(!Array.isArray(message));
    const name = cleanName(message.name);
    assert.ok(name.length <= NAME_MAX, `a name of ${name.length}`);
    assert.doesNotMatch(name, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  } catch (error) {
    if (!(error instanceof PitvError)) throw error;
    assert.equal(error.code, 'PITV_MESSAGE_INVALID');
  }
}

/** @param {PadState} state @param {Buffer} bytes */
function checkBinary(state, bytes) {
  const valid = bytes.length === 8 && bytes[0] === 1;
  assert.equal(state.read(bytes), valid);
  assert.ok(Math.abs(state.x) <= MAX_AXIS && Math.abs(state.y) <= MAX_AXIS);
  assert.ok(state.buttons >= 0 && state.buttons <= 3);
  for (const taps of state.takeTaps()) assert.ok(taps >= 0 && taps <= 15);
}

/** @type {import('../support/target.js').Target<Buffer>} */
export default {
  batch: 20,
  input: fc.oneof(randomBytes(64), edited(text), edited(binary), binary),
  open: async () => ({
    check(inputs) {
      const state = new PadState();
      for (const bytes of inputs) {
        checkText(bytes);
        checkBinary(state, bytes);
      }
    },
  }),
};

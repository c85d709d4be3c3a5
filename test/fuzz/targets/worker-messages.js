/** Bytes of a worker on its channel, and of a zygote on its control socket. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { messageOf } from '../../../app/errors.js';
import { describeFailure, restoreFailure } from '../../../app/engine/failure.js';
import { KIND, encode, reader } from '../../../app/engine/zygote/channel.js';
import { REPLY_BYTES, replyReader } from '../../../app/engine/zygote/records.js';
import { edited, randomBytes } from '../support/bytes.js';
import { oddNumber, oddValue } from '../support/json.js';

const valid = fc.oneof(
  fc
    .tuple(fc.oneof(fc.constantFrom(...Object.values(KIND)), oddNumber), oddValue)
    .map(([kind, value]) => encode(kind, value)),
  fc.string().map((thrown) => encode(KIND.failed, describeFailure(thrown))),
  fc
    .uint8Array({ minLength: REPLY_BYTES, maxLength: REPLY_BYTES })
    .map((some) => Buffer.from(some)),
);

/** Uses a value as the main process does. @param {number} kind @param {any} value */
function use(kind, value) {
  if (kind === KIND.failed) assert.equal(typeof messageOf(restoreFailure(value)), 'string');
}

/** Tells of a thrown value, as a child does, and reads that. @param {unknown} thrown */
function tell(thrown) {
  /** @type {unknown} */
  let read;
  reader((kind, value) => {
    assert.equal(kind, KIND.failed);
    read = restoreFailure(value);
  })(encode(KIND.failed, describeFailure(thrown)));
  assert.ok(read instanceof Error, 'the failure came through');
}

/** @typedef {{chunk: Buffer, thrown: unknown}} Said */

/** @type {import('../support/target.js').Target<Said>} */
export default {
  name: 'worker-messages',
  seconds: 3,
  batch: 20,
  input: fc.record({ chunk: fc.oneof(randomBytes(80), edited(valid), valid), thrown: oddValue }),
  open: async () => ({
    check(said) {
      let replies = 0;
      const readReply = replyReader((reply) => {
        replies++;
        for (const field of Object.values(reply)) assert.ok(Number.isInteger(field));
      });
      let read = reader(use);
      let bytes = 0;
      for (const { chunk, thrown } of said) {
        tell(thrown);
        bytes += chunk.length;
        readReply(chunk);
        try {
          read(chunk);
        } catch (error) {
          assert.ok(error instanceof Error, String(error));
          read = reader(use); // ForkedProcess closes the socket here
        }
      }
      assert.equal(replies, Math.floor(bytes / REPLY_BYTES));
    },
  }),
};

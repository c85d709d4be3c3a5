/** Bytes from a worker's channel and from a zygote's control socket, and what a worker says that it threw. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { messageOf } from '../../../app/errors.js';
import { restoreFailure } from '../../../app/engine/failure.js';
import { KIND, createReader, encode } from '../../../app/engine/zygote/channel.js';
import { REPLY_BYTES, createReplyReader } from '../../../app/engine/zygote/records.js';
import { edited, oddNumber, oddValue, randomBytes } from '../support/arbitraries.js';

const valid = fc.oneof(
  oddValue.map((value) => encode(KIND.message, value)),
  oddValue.map((thrown) => encode(KIND.failed, thrown)),
  fc.json().map((text) => {
    const bytes = encode(KIND.text, text);
    bytes[4] = KIND.failed;
    return bytes;
  }),
  oddNumber.map((code) => encode(KIND.exiting, code)),
  fc
    .tuple(fc.oneof(fc.constantFrom(...Object.values(KIND)), fc.nat(255)), fc.string())
    .map(([kind, text]) => encode(kind, text)),
  fc
    .uint8Array({ minLength: REPLY_BYTES, maxLength: REPLY_BYTES })
    .map((some) => Buffer.from(some)),
);

/** Reads a value like the main process. @param {number} kind @param {any} value */
function use(kind, value) {
  if (kind === KIND.failed) assert.equal(typeof messageOf(restoreFailure(value)), 'string');
}

/** Encodes a thrown value like a child, and reads it. @param {unknown} thrown */
function tell(thrown) {
  /** @type {unknown} */
  let read;
  createReader((kind, value) => {
    assert.equal(kind, KIND.failed);
    read = restoreFailure(value);
  })(encode(KIND.failed, thrown));
  assert.ok(read instanceof Error, 'the failure came through');
}

/** @typedef {{chunk: Buffer, thrown: unknown}} Said */

/** @type {import('../run-target.js').Target<Said>} */
export default {
  batch: 20,
  input: fc.record({ chunk: fc.oneof(randomBytes(80), edited(valid), valid), thrown: oddValue }),
  open: async () => ({
    check(said) {
      let replies = 0;
      const all = Buffer.concat(said.map(({ chunk }) => chunk));
      const readReply = createReplyReader(({ kind, pid }) => {
        const at = REPLY_BYTES * replies++;
        assert.deepEqual([kind, pid], [all.readUInt32LE(at), all.readUInt32LE(at + 8)]);
      });
      let read = createReader(use);
      for (const { chunk, thrown } of said) {
        tell(thrown);
        use(KIND.failed, thrown); // a process sends values instead of bytes
        readReply(chunk);
        try {
          read(chunk);
        } catch (error) {
          assert.ok(error instanceof Error, String(error));
          read = createReader(use); // ForkedProcess closes the socket here
        }
      }
      assert.equal(replies, Math.floor(all.length / REPLY_BYTES));
    },
  }),
};

/** Arbitraries of the files in a data directory: valid ones, nearly valid ones, and garbage. */
import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { edited, randomBytes } from './bytes.js';
import { nearly, oddNumber, oddValue } from './json.js';

/** The number of matches. */
const COPIES = 12;
const HASH = 'c0'.repeat(32);

/** @typedef {{path: string, kind: 'file' | 'folder' | 'link', bytes: Buffer}} SavedFile */

const id = fc.oneof(fc.nat(9), oddNumber);
const json = (/** @type {import('fast-check').Arbitrary<unknown>} */ value) =>
  value.map((each) => Buffer.from(JSON.stringify(each) ?? ''));

const player = nearly({
  id,
  name: fc.string({ maxLength: 20 }),
  color: fc.constant('#ff4d4d'),
  tokenHash: fc.constant(HASH),
  lastGame: fc.constant('bumper'),
});
const people = nearly({
  format: fc.constant(1),
  savedAt: fc.constant(Date.now()),
  players: fc.array(fc.oneof({ weight: 4, arbitrary: player }, oddValue), { maxLength: 4 }),
  screens: fc.array(fc.oneof(fc.constant(HASH), oddValue), { maxLength: 4 }),
});

const seats = fc.array(
  fc.oneof({ weight: 4, arbitrary: nearly({ slot: fc.nat(7), player: id }) }, oddValue),
  { maxLength: 3 },
);
/** The decompressed content. */
const match = fc
  .tuple(
    nearly({
      id,
      game: fc.constantFrom('bumper', 'swarm', 'collide'),
      hash: fc.constant('abc'),
      options: fc.dictionary(fc.string({ maxLength: 6 }), oddValue, { maxKeys: 2 }),
      owner: fc.constant('api'),
      tokenHash: fc.constant(HASH),
      startedAt: id,
      tick: id,
      seats,
    }),
    randomBytes(64),
  )
  .map(([saved, checkpoint]) =>
    Buffer.concat([Buffer.from(`${JSON.stringify({ format: 1, ...saved })}\n`), checkpoint]),
  );
/** Files as CheckpointFiles writes them. The checksum is right, so that the reader checks the fields. */
const live = fc.oneof({ weight: 4, arbitrary: match }, randomBytes(64)).map((bytes) => {
  const packed = deflateRawSync(bytes, { level: 1 });
  const length = Buffer.alloc(4);
  length.writeUInt32LE(packed.length);
  const checksum = createHash('sha256').update(packed).digest();
  return Buffer.concat([Buffer.from('pitvlive'), length, checksum, packed]);
});

const record = nearly({
  scheme: fc.constant('scrypt'),
  N: fc.constantFrom(2, 16384, 3),
  r: fc.constant(8),
  p: fc.constant(1),
  salt: fc.constant(Buffer.alloc(16).toString('base64')),
  hash: fc.constant(Buffer.alloc(32).toString('base64')),
});
const session = fc.tuple(fc.constant('A'.repeat(22)), fc.nat());
const adminSessions = nearly({
  secret: fc.constant(Buffer.alloc(32, 1).toString('base64')),
  sessions: fc.array(fc.oneof({ weight: 3, arbitrary: session }, oddValue), { maxLength: 40 }),
});
/** @type {Record<string, import('fast-check').Arbitrary<Buffer>>} contents by path in the data directory */
const CONTENTS = {
  'people.json': json(people),
  'tries.json': json(nearly({ 7: fc.nat(4), 8: id })),
  'admin-sessions': json(adminSessions),
  'admin-password': json(nearly({ password: record, taken: record })),
  'admin-token': fc.constant(Buffer.from('A'.repeat(32))),
  ...Object.fromEntries(
    Array.from({ length: COPIES }, (_, n) => [
      [`live/${n}.a`, live],
      [`live/${n}.b`, live],
    ]).flat(),
  ),
};

/** @param {string} path @param {import('fast-check').Arbitrary<Buffer>} valid */
const file = (path, valid) =>
  fc.record({
    path: fc.constant(path),
    kind: fc.oneof(
      { weight: 20, arbitrary: fc.constant('file') },
      { weight: 1, arbitrary: fc.constantFrom('folder', 'link') },
    ),
    bytes: fc.oneof(valid, edited(valid), json(oddValue), randomBytes(200)),
  });

/** @type {import('fast-check').Arbitrary<SavedFile>} */
export const savedFile = fc.oneof(
  ...Object.entries(CONTENTS).map(([path, valid]) => file(path, valid)),
);

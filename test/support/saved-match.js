/** Saved matches, and files of them. */
import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';

/** Makes a file with a valid checksum, as CheckpointFiles writes them. @param {Buffer} content */
export function fileOf(content) {
  const packed = deflateRawSync(content, { level: 1 });
  const length = Buffer.alloc(4);
  length.writeUInt32LE(packed.length);
  const checksum = createHash('sha256').update(packed).digest();
  return Buffer.concat([Buffer.from('pitvlive'), length, checksum, packed]);
}

/** The fields of a saved match (app/match/saved-match.js). */
export const saved = Object.freeze({
  id: 7,
  game: 'bumper',
  hash: 'abc',
  options: { seed: 1 },
  owner: 'api',
  tokenHash: 'ab'.repeat(32),
  tick: 600,
  seats: [{ slot: 0, player: 3 }],
});

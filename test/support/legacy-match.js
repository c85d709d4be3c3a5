/** Saved matches in the format of versions before the A/B checkpoints. */
import { createHash } from 'node:crypto';

/** Encodes a file. @param {any} saved @param {Uint8Array} checkpoint @returns {Buffer} */
export function encodeLegacyMatch(saved, checkpoint) {
  const sha256 = createHash('sha256').update(checkpoint).digest('hex');
  const fields = { format: 1, bytes: checkpoint.length, sha256, ...saved };
  return Buffer.concat([Buffer.from(`${JSON.stringify(fields)}\n`), checkpoint]);
}

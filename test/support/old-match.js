/** Writes the file of a match as versions before the A/B checkpoints did at shutdown. */
import { createHash } from 'node:crypto';

/** @param {any} saved @param {Uint8Array} checkpoint @returns {Buffer} */
export function encodeOldMatch(saved, checkpoint) {
  const sha256 = createHash('sha256').update(checkpoint).digest('hex');
  const fields = { format: 1, bytes: checkpoint.length, sha256, ...saved };
  return Buffer.concat([Buffer.from(`${JSON.stringify(fields)}\n`), checkpoint]);
}

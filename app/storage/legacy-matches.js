/**
 * Reads the files that versions before the A/B checkpoints wrote at shutdown: `matches/ID.match`, a line of JSON
 * followed by the checkpoint, with the checkpoint's length and SHA-256 in the line.
 */
import { createHash } from 'node:crypto';
import { messageOf } from '../errors.js';
import { MAX_BYTES, parseMatch } from './match-file.js';
import { parseJson, unusable } from './saved-files.js';

const FOLDER = 'matches';
const FILE = /^\d{1,5}\.match$/;

/** @param {Buffer} bytes */
function parse(bytes) {
  const match = parseMatch(bytes);
  const { sha256 } = parseJson(bytes.subarray(0, bytes.length - match.checkpoint.length));
  const actual = createHash('sha256').update(match.checkpoint).digest('hex');
  if (sha256 !== actual) throw unusable('its checksum is wrong');
  return match;
}

/**
 * Converts legacy files to checkpoint files. A legacy file is deleted when its checkpoint has been written.
 * @param {import('./store.js').Store} store
 * @param {import('./match-checkpoints.js').CheckpointFiles} files
 * @param {Pick<import('pino').Logger, 'warn'>} log
 */
export async function convertLegacyMatches(store, files, log) {
  for (const name of await store.list(FOLDER, FILE)) {
    const path = `${FOLDER}/${name}`;
    try {
      const match = await store.load(path, { maxBytes: MAX_BYTES, parse });
      if (!match) continue;
      await files.write(match.saved, match.checkpoint);
      await store.remove(path);
    } catch (error) {
      log.warn({ file: path, error: messageOf(error) }, 'a saved match was not converted');
    }
  }
}

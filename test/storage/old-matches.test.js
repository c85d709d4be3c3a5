import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { silentLog } from '../../app/log.js';
import { CheckpointFiles } from '../../app/storage/match-checkpoints.js';
import { convertOldMatches } from '../../app/storage/old-matches.js';
import { Store } from '../../app/storage/store.js';
import { encodeOldMatch } from '../support/old-match.js';
import { saved } from '../support/saved-match.js';
import { temporaryFolder } from '../support/tv.js';

const CHECKPOINT = Buffer.from([1, 2, 10, 3]);

/** @param {import('node:test').TestContext} t */
async function setUp(t) {
  const directory = await temporaryFolder(t);
  const store = new Store(directory);
  const files = new CheckpointFiles(directory, store.files);
  t.after(() => files.close());
  await mkdir(join(directory, 'matches'));
  return { directory, store, files };
}

test('old files are converted to checkpoints, a damaged one is set aside', async (t) => {
  const { directory, store, files } = await setUp(t);
  const damaged = encodeOldMatch({ ...saved, id: 8 }, CHECKPOINT);
  damaged[damaged.length - 1] ^= 1;
  await writeFile(join(directory, 'matches/7.match'), encodeOldMatch(saved, CHECKPOINT));
  await writeFile(join(directory, 'matches/8.match'), damaged);
  await convertOldMatches(store, files, silentLog);
  assert.deepEqual(await files.read(), [{ saved, checkpoint: CHECKPOINT }]);
  assert.deepEqual(await readdir(join(directory, 'matches')), ['8.match.bad-1']);
});

test('an old file does not replace a newer checkpoint', async (t) => {
  const { directory, store, files } = await setUp(t);
  const newer = { ...saved, tick: saved.tick + 1 };
  await files.write(newer, CHECKPOINT);
  await files.close();
  await writeFile(join(directory, 'matches/7.match'), encodeOldMatch(saved, CHECKPOINT));
  await convertOldMatches(store, files, silentLog);
  assert.deepEqual(await files.read(), [{ saved: newer, checkpoint: CHECKPOINT }]);
});

test('an old file stays when its checkpoint cannot be written', async (t) => {
  const { directory, store, files } = await setUp(t);
  await writeFile(join(directory, 'matches/7.match'), encodeOldMatch(saved, CHECKPOINT));
  files.write = () => Promise.reject(new Error('ENOSPC'));
  /** @type {unknown[]} */
  const warnings = [];
  await convertOldMatches(store, files, {
    warn: (/** @type {unknown} */ given) => warnings.push(given),
  });
  assert.deepEqual(await readdir(join(directory, 'matches')), ['7.match']);
  assert.equal(warnings.length, 1);
});

import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { silentLog } from '../../app/log.js';
import { CheckpointFiles } from '../../app/storage/match-checkpoints.js';
import { convertLegacyMatches } from '../../app/storage/legacy-matches.js';
import { Store } from '../../app/storage/store.js';
import { encodeLegacyMatch } from '../support/legacy-match.js';
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

test('legacy files are converted to checkpoints, and a damaged one is renamed', async (t) => {
  const { directory, store, files } = await setUp(t);
  const damaged = encodeLegacyMatch({ ...saved, id: 8 }, CHECKPOINT);
  damaged[damaged.length - 1] ^= 1;
  await writeFile(join(directory, 'matches/7.match'), encodeLegacyMatch(saved, CHECKPOINT));
  await writeFile(join(directory, 'matches/8.match'), damaged);
  await convertLegacyMatches(store, files, silentLog);
  assert.deepEqual(await files.read(), [{ saved, checkpoint: CHECKPOINT }]);
  assert.deepEqual(await readdir(join(directory, 'matches')), ['8.match.bad-1']);
});

test('a legacy file does not replace a newer checkpoint', async (t) => {
  const { directory, store, files } = await setUp(t);
  const newer = { ...saved, tick: saved.tick + 1 };
  await files.write(newer, CHECKPOINT);
  await files.close();
  await writeFile(join(directory, 'matches/7.match'), encodeLegacyMatch(saved, CHECKPOINT));
  await convertLegacyMatches(store, files, silentLog);
  assert.deepEqual(await files.read(), [{ saved: newer, checkpoint: CHECKPOINT }]);
});

test('a legacy file is not deleted if its checkpoint cannot be written', async (t) => {
  const { directory, store, files } = await setUp(t);
  await writeFile(join(directory, 'matches/7.match'), encodeLegacyMatch(saved, CHECKPOINT));
  files.write = () => Promise.reject(new Error('ENOSPC'));
  /** @type {unknown[]} */
  const warnings = [];
  await convertLegacyMatches(store, files, {
    warn: (/** @type {unknown} */ given) => warnings.push(given),
  });
  assert.deepEqual(await readdir(join(directory, 'matches')), ['7.match']);
  assert.equal(warnings.length, 1);
});

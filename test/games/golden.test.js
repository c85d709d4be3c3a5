/** Compares Node.js versions and processors. There are no fixed values, because games are tuned from time to time. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { firstDifference } from '../../app/game-test/compare.js';
import { playWith } from '../../app/game-test/other-node.js';
import { listGameFiles } from '../../app/game/load-games.js';
import { nodeVersions } from '../nodes.js';

const files = await listGameFiles(fileURLToPath(new URL('../../app/games', import.meta.url)));
const seeds = [2013];
const ticks = 1000;

/** Plays all games. @param {string[]} command that starts a Node.js */
async function play(command) {
  const played = [];
  for (const path of files) {
    played.push(await playWith(command, { path, id: basename(path, '.js'), seeds, ticks }));
  }
  return played;
}

const expected = await play([process.execPath]);

for (const { name, command, skip } of nodeVersions()) {
  test(`${name}: the same matches, byte for byte`, { skip }, async () => {
    for (const [i, found] of (await play(command)).entries()) {
      assert.equal(firstDifference(seeds, expected[i], found), undefined, files[i]);
    }
  });
}

/**
 * Checks the JavaScript on the pages. Every `js` block parses. All files of a page are written into one folder, and
 * those with a printed text are run.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { format } from 'prettier';
import { loadGames } from '../../app/game/load-games.js';
import { BLOCKS, filesIn, writePrograms } from './examples.js';
import { ROOT } from './pages.js';

const GAMES = 'app/games/';
/** One round of play and more. */
const TICKS = 1200;

const files = filesIn('js');

test('every block of JavaScript parses', async () => {
  /** @type {string[]} */
  const wrong = [];
  for (const { lang, text, place } of BLOCKS) {
    if (lang !== 'js') continue;
    await format(text, { parser: 'babel' }).catch((error) =>
      wrong.push(`${place}: ${error.message}`),
    );
  }
  assert.deepEqual(wrong, []);
});

/** Writes the example files of a page. @param {string} page @returns {string} the folder */
const write = (page) => writePrograms(page, join('docs', page.replaceAll('/', '-')));

for (const { page, place, file, prints } of files.filter((each) => each.prints !== undefined)) {
  test(`${place}: ${file} prints what the page says`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: write(page) });
    assert.equal(stdout.trimEnd(), prints);
  });
}

const games = files.filter(({ file }) => file.startsWith(GAMES));

test('there are examples', () => {
  assert.ok(games.length > 0);
  assert.ok(files.some(({ prints }) => prints !== undefined));
});

for (const page of new Set(games.map((each) => each.page))) {
  test(`the games of ${page} load, play, and go on from a checkpoint`, async () => {
    const folder = write(page);
    symlinkSync(join(ROOT, 'app/game'), join(folder, 'app/game'));
    const list = await loadGames(join(folder, GAMES));
    assert.ok(list.length > 0);
    for (const game of list) {
      const sizes = game.sizes();
      const job = game.start({ seed: 7 });
      const noInput = () => 0;
      for (let tick = 0; tick < TICKS && !job.done; tick++) job.step(noInput, noInput);
      const checkpoint = new Uint8Array(sizes.checkpointBytes);
      assert.ok(job.checkpoint(checkpoint) <= checkpoint.length);
      const copy = game.start({ seed: 7 });
      copy.restore(checkpoint);
      for (let tick = 0; tick < TICKS; tick++) {
        job.step(noInput, noInput);
        copy.step(noInput, noInput);
      }
      const frames = [job, copy].map((each) => {
        const target = new Uint8Array(sizes.frameBytes);
        return target.subarray(0, each.writeFrame(target));
      });
      assert.ok(frames[0].length > 0);
      assert.deepEqual(frames[0], frames[1]);
    }
  });
}

import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { readExcerpt } from '../../app/dev/excerpt.js';
import { FolderWatch } from '../../app/dev/folder-watch.js';
import { TickLog } from '../../app/dev/tick-report.js';
import { TICK_BUCKET_MICROS } from '../../app/engine/mailbox/tick-stats.js';
import { temporaryFolder, until } from '../support/tv.js';

test('an excerpt shows lines of the package only', async () => {
  const parent = temporaryFolder({
    'secret.js': 'secret\n',
    'game/game.js': Array.from({ length: 9 }, (_, i) => `line ${i + 1}`).join('\n'),
    'game/src/main.js': 'x'.repeat(1000),
  });
  const folder = join(parent, 'game');
  const found = await readExcerpt(folder, 'game.js:5');
  assert.deepEqual([found?.file, found?.line], ['game.js', 5]);
  const shown = found?.lines.map(({ number, text }) => `${number} ${text}`);
  const expected = [2, 3, 4, 5, 6, 7].map((n) => `${n} line ${n}`);
  assert.deepEqual(shown, expected);
  assert.equal((await readExcerpt(folder, 'main.js:1', 'src/game.js'))?.lines[0].text.length, 160);
  for (const place of [
    '../secret.js:1',
    'game.js:10',
    'game.js:0',
    'none.js:1',
    'game.js',
    undefined,
  ]) {
    assert.equal(await readExcerpt(folder, place), undefined, place);
  }
});

test('each change of a file or a folder is reported, also by a rename', async (t) => {
  const folder = temporaryFolder({ 'game.js': '' });
  let changes = 0;
  const watch = new FolderWatch(folder, () => changes++);
  t.after(() => watch.close());
  await watch.open();
  const reported = async (/** @type {() => void} */ change, /** @type {string} */ what) => {
    const before = changes;
    change();
    await until(() => changes > before, what);
  };
  await reported(() => writeFileSync(join(folder, 'game.js'), 'a'), 'a file');
  await reported(() => mkdirSync(join(folder, 'src')), 'a folder');
  await reported(() => writeFileSync(join(folder, 'src', 'a.js'), 'a'), 'a file in the new folder');
  await reported(() => {
    rmSync(join(folder, 'src'), { recursive: true });
    mkdirSync(join(folder, 'src'));
  }, 'a folder in its place');
  await reported(() => writeFileSync(join(folder, 'src', 'a.js'), 'b'), 'a file in that folder');
  writeFileSync(join(folder, '.b.js.swp'), 'b');
  await reported(() => renameSync(join(folder, '.b.js.swp'), join(folder, 'game.js')), 'a rename');
  await reported(() => rmSync(join(folder, 'src'), { recursive: true }), 'the end of the folder');
});

test('a report sums up readings, and compares them with the boards', () => {
  const log = new TickLog(0.0054, 2);
  assert.equal(log.report(), null);
  const reading = (/** @type {number} */ micros, /** @type {number} */ ticks) => ({
    counts: TICK_BUCKET_MICROS.map((least, i) =>
      micros >= least && micros < (TICK_BUCKET_MICROS[i + 1] ?? Infinity) ? ticks : 0,
    ),
    bodies: 3,
    contacts: 2,
    frameBytes: 100,
    garbageBytes: 10 * ticks,
    garbageTicks: ticks,
  });
  for (const micros of [20_000, 50, 50]) log.add(reading(micros, 30));
  log.add({ ...reading(3000, 10), garbageTicks: 0, garbageBytes: 0 });
  const report = log.report();
  assert.equal(report?.ticks, 40, 'the first ones are forgotten');
  const late = report?.boards.map((board) => `${board.title}: ${board.late}`);
  assert.deepEqual(late, ['Pi 1: 0.25', 'Pi 2: 0.25', 'Pi 4: 0']);
  assert.equal(report?.garbageBytes, 10);
  assert.ok(report && report.micros >= 3000 && report.micros < 6000);
});

/** Saved matches of a lobby without a TV. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { CheckpointFiles, hasCheckpoints } from '../../app/storage/match-checkpoints.js';
import { Persistence } from '../../app/storage/persistence.js';
import { Store } from '../../app/storage/store.js';
import { saved } from '../support/saved-match.js';
import { temporaryFolder, until } from '../support/tv.js';

/** @param {number} tick */
const state = (tick) => Buffer.alloc(20_000, tick % 251);

const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
const PEOPLE = { savedAt: 5, players: [], screens: [] };

/** @param {number} everyMs @param {object} [of] fields of the match that was saved; without it there is none */
async function setUpPersistence(everyMs, of) {
  const folder = temporaryFolder();
  const files = new CheckpointFiles(folder);
  if (of) await files.write({ ...saved, ...of }, state(1));
  await files.close();
  const store = new Store(folder);
  /** @type {string[]} */
  const logged = [];
  const log = Object.fromEntries(
    ['info', 'warn', 'error'].map((level) => [level, () => logged.push(level)]),
  );
  const lobby = Object.assign(new EventEmitter(), { matches: /** @type {any[]} */ ([]) });
  const parts = /** @type {any} */ ({ store, lobby, log, everyMs, people: () => PEOPLE });
  const persistence = new Persistence(parts);
  const tries = () => readFile(join(folder, 'tries.json'), 'utf8').catch(() => undefined);
  const ticks = async () => (await files.read()).map((match) => match.saved.tick);
  return { folder, store, files, persistence, lobby, logged, tries, ticks };
}

const LOCKED = { locked: true };
/** @type {[object, number, tries: unknown, isResumed: boolean, next: object | undefined, isKept: boolean][]} */
const STARTS = [
  [{}, 1, undefined, true, { 7: 1 }, true],
  [{}, 1, { 7: 2, 8: 5 }, true, { 7: 3, 8: 5 }, true],
  [{}, 1, { 7: 3 }, false, { 7: 3 }, false],
  [{}, 0, undefined, true, undefined, false],
  [LOCKED, 0, undefined, true, { 7: 1, boot: bootId }, false],
  [LOCKED, 1, { 7: 1, boot: bootId }, false, { 7: 1, boot: bootId }, false],
  [LOCKED, 1, { 7: 0, boot: bootId }, true, { 7: 1, boot: bootId }, true],
  [LOCKED, 1, { 7: 1, boot: 'x' }, true, { 7: 2, boot: bootId }, true],
  [LOCKED, 1, { 7: 1 }, true, { 7: 2, boot: bootId }, true],
  ...[{ 7: 'x' }, { 7: -1, 8: 1 }, [], 5, { boot: 5 }, { boot: 'x'.repeat(65) }].map(
    (rubbish) => /** @type {any} */ ([{}, 1, rubbish, true, { 7: 1 }, true]),
  ),
];

for (const [of, everyMs, before, isResumed, next, isKept] of STARTS) {
  test(`a start with ${JSON.stringify([of, everyMs, before])} resumes or gives up the match`, async () => {
    const { store, persistence, tries, ticks, logged } = await setUpPersistence(everyMs, of);
    if (before) await store.write('tries.json', JSON.stringify(before));
    assert.equal((await persistence.loadSaved()).length, isResumed ? 1 : 0);
    assert.deepEqual(JSON.parse((await tries()) ?? 'null'), next ?? null);
    assert.deepEqual([await ticks(), logged], [isKept ? [600] : [], isResumed ? [] : ['warn']]);
  });
}

test('the tries are forgotten when the TV has run for a while, except those of games of others', async (t) => {
  for (const [of, everyMs, left] of /** @type {[object, number, object | null][]} */ ([
    [{}, 1000, null],
    [LOCKED, 1000, { 7: 1, boot: bootId }],
    [LOCKED, 0, { 7: 1, 9: 1, boot: bootId }],
  ])) {
    const { store, persistence, tries } = await setUpPersistence(everyMs, of);
    await store.write('tries.json', '{"9":1}');
    await persistence.loadSaved();
    const first = await tries();
    t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    persistence.start();
    t.mock.timers.tick(19_999);
    assert.equal(await tries(), first);
    t.mock.timers.tick(1);
    t.mock.timers.reset();
    const isLeft = async () => isDeepStrictEqual(JSON.parse((await tries()) ?? 'null'), left);
    await until(isLeft, JSON.stringify(left));
    persistence.stop();
  }
});

/**
 * Has the next write wait, as on a slow disk.
 * @param {Store} store @param {import('node:test').Mock<Store['write']>} write of the store
 * @returns {() => void} ends the wait
 */
function delayWrite(store, write) {
  let goOn = () => {};
  const waiting = new Promise((resolve) => (goOn = () => resolve(undefined)));
  write.mock.mockImplementationOnce(async (name, data) => {
    await waiting;
    await Store.prototype.write.call(store, name, data);
  });
  return goOn;
}

test('matches with players are saved at intervals and at the end, and deleted when they are over', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let skipped = 0;
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + skipped);
  const hour = 3_600_000;
  const made = await setUpPersistence(hour);
  const { store, files, persistence, lobby, ticks, tries, logged } = made;
  const write = t.mock.method(store, 'write');
  const players = [{}];
  const match = { id: 7, players, snapshot: () => ({ saved, checkpoint: state(1) }) };
  const demo = { id: 8, players: [], snapshot: () => assert.fail('a demo is not saved') };
  lobby.matches.push(match, demo, { id: 9, players, snapshot: () => undefined });
  persistence.start();
  const pass = (/** @type {number} */ ms) => {
    skipped += ms;
    t.mock.timers.tick(1000);
  };
  const goOn = delayWrite(store, write);
  pass(hour / 2);
  pass(hour / 2); // the players are still being written
  goOn();
  await write.mock.calls[0].result;
  await new Promise(setImmediate);
  assert.deepEqual([await ticks(), persistence.bytesWritten], [[], 0]);
  pass(0);
  await until(() => persistence.bytesWritten, 'the match on disk');
  const seats = [{ slot: 1, player: 3 }];
  await persistence.save([{ saved: { ...saved, seats }, checkpoint: state(1) }], PEOPLE);
  assert.deepEqual((await files.read())[0].saved.seats, seats, 'also at the same tick');
  lobby.emit('ended', match);
  await until(async () => (await ticks()).length === 0, 'its end');
  persistence.stop();
  await store.write('tries.json', '{}');
  const last = [{ saved, checkpoint: state(1) }];
  await persistence.save(/** @type {any} */ (last), PEOPLE, true);
  assert.deepEqual([await ticks(), await tries(), logged], [[600], '{}', []]);
  store.write = () => Promise.reject(new Error('full'));
  await persistence.save(/** @type {any} */ ([{ saved: { id: 7 } }]), PEOPLE);
  assert.deepEqual([await tries(), await ticks()], [undefined, [600]]);
  assert.deepEqual(logged, ['error', 'error']);
});

test('without intervals a match that cannot be saved at the end leaves nothing', async () => {
  const { persistence, lobby, ticks } = await setUpPersistence(0, {});
  lobby.emit('ended', saved);
  await persistence.close();
  assert.deepEqual(await ticks(), [600], 'it is that of the last start');
  await persistence.save(/** @type {any} */ ([{ saved: { id: 7 } }]), PEOPLE);
  assert.deepEqual(await ticks(), []);
  await persistence.loadSaved();
  assert.deepEqual(await persistence.loadPeople(), PEOPLE);
});

test('tries that cannot be deleted, as on a disk that has become read-only, do not fail the end', async () => {
  const { folder, persistence, logged } = await setUpPersistence(1);
  await mkdir(join(folder, 'tries.json'));
  await persistence.save([], PEOPLE);
  assert.deepEqual(logged, ['warn']);
});

test('of two sides that cannot be used, both are set aside; of one, none', async () => {
  const { folder, store, files } = await setUpPersistence(0);
  assert.equal(await hasCheckpoints(store), false);
  for (const tick of [1, 2]) await files.write({ ...saved, tick }, state(tick));
  assert.equal(await hasCheckpoints(store), true);
  await cp(join(files.folder, '7.b'), join(files.folder, '8.a')); // of another match
  await writeFile(join(files.folder, '9.a'), 'rubbish');
  await writeFile(join(files.folder, '7.a'), 'rubbish');
  const [{ saved: read }, ...others] = await files.read();
  assert.deepEqual([read.id, others], [7, []]);
  const names = ['7.a', '7.b', '8.a.bad-1', '9.a.bad-1'];
  assert.deepEqual((await readdir(files.folder)).sort(), names);
  await files.clear();
  assert.deepEqual((await readdir(files.folder)).sort(), names.slice(2));
  await files.remove(5);
  await new CheckpointFiles(folder).clear();
});

test('the file of people at the end is not replaced by that of a save which takes long', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { store, persistence } = await setUpPersistence(0);
  const write = t.mock.method(store, 'write');
  const goOn = delayWrite(store, write);
  persistence.start();
  t.mock.timers.tick(1000);
  persistence.stop();
  const ended = persistence.save([], { ...PEOPLE, savedAt: 6 });
  await new Promise(setImmediate);
  assert.equal(write.mock.callCount(), 1, 'the last one waits');
  goOn();
  await ended;
  assert.equal((await persistence.loadPeople()).savedAt, 6);
});

test('the first failure to save and the first success after it are logged', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { store, persistence, logged } = await setUpPersistence(1000);
  let changes = 0;
  let broken = true;
  let done = () => {};
  store.write = async () => {
    queueMicrotask(() => queueMicrotask(() => setImmediate(done)));
    if (broken) throw new Error('It broke.');
  };
  persistence.problemChanged = () => changes++;
  const tick = () =>
    new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
      done = resolve;
      t.mock.timers.tick(1000);
    });
  persistence.start();
  await tick();
  await tick();
  assert.equal(persistence.problem, 'It broke');
  broken = false;
  await tick();
  assert.equal(persistence.problem, undefined);
  assert.deepEqual(logged, ['warn', 'info']);
  assert.equal(changes, 2, 'both are reported');
  persistence.stop();
});

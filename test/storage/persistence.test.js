/** Stops TVs, or simulates a power cut by copying the data directory of a running TV. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { createTv } from '../../app/create-tv.js';
import { silentLog } from '../../app/log.js';
import { CheckpointFiles } from '../../app/storage/match-checkpoints.js';
import { fillDisk, mountDisk } from '../support/folders.js';
import { Client, startTv, temporaryFolder, until } from '../support/tv.js';

const args = ['--engine', 'thread', '--checkpoint-seconds', '1'];
/** Ticks in a second, and between two checkpoints of a worker. */
const TICKS = 60;
const CHECKPOINT_TICKS = 15;

/** @param {string} dataDir */
const newest = async (dataDir) => (await new CheckpointFiles(dataDir).read())[0]?.saved;

/** A player in a match on disk. @param {import('node:test').TestContext} t @param {string} [directory] of the data */
async function playing(t, directory) {
  const dataDir = directory ?? temporaryFolder();
  const tv = await startTv(t, { dataDir, args });
  const ann = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code, name: 'Ann' });
  const { token, player } = await ann.next('welcome');
  const screen = await Client.screen(tv);
  screen.send({ t: 'start', game: 'bumper', options: { seed: 5 } });
  const { match, slot } = await ann.next('match');
  const first = await until(() => newest(dataDir), 'a state on disk');
  return { dataDir, tv, ann, screen, token, player, match, slot, first };
}

/** @param {import('node:test').TestContext} t @param {string} dataDir @returns {Promise<string>} */
async function cutPower(t, dataDir) {
  const copy = join(temporaryFolder(), 'data');
  await cp(dataDir, copy, { recursive: true });
  return copy;
}

test('after a power cut the match resumes from the last seconds, with its player', async (t) => {
  const { dataDir, tv, token, player, match, slot, first } = await playing(t);
  await until(async () => (await newest(dataDir)).tick > first.tick + TICKS, 'a later state');
  const [copy, ticks] = [await cutPower(t, dataDir), tv.lobby.matches[0].ticks];
  const kept = await newest(copy);
  // A second between two writes, the interval of the worker, and delays of this machine.
  assert.ok(kept.tick > ticks - 4 * TICKS - CHECKPOINT_TICKS, `${kept.tick} of ${ticks}`);

  const next = await startTv(t, { dataDir: copy, args });
  const back = await Client.connect(next, { t: 'hello', role: 'pad', token });
  const welcome = await back.next('welcome');
  assert.deepEqual([welcome.resumed, welcome.player], [true, player]);
  const again = await back.next('match');
  assert.deepEqual([again.match, again.slot], [match, slot]);
  assert.ok(next.lobby.matches[0].ticks >= kept.tick);

  // A second power cut before the next write: the match is still saved.
  const twice = await startTv(t, { dataDir: await cutPower(t, copy), args });
  assert.equal(twice.lobby.matches[0].id, match);
});

test('a phone that reconnects while saved matches are being read is recognised', async (t) => {
  const { tv, token, player, match } = await playing(t);
  await tv.stop();
  const next = await createTv({ ...tv.settings, port: 0 }, silentLog);
  t.after(() => next.stop());
  const { persistence } = next;
  const loadSaved = persistence.loadSaved.bind(persistence);
  const gate = new EventEmitter();
  persistence.loadSaved = async () => {
    await once(gate, 'open');
    return loadSaved();
  };
  const started = next.start();
  await until(() => gate.listenerCount('open') > 0, 'the reading of the matches');
  const back = await Client.connect(next, { t: 'hello', role: 'pad', token, code: 'old' });
  const welcome = await back.next('welcome');
  assert.deepEqual([welcome.resumed, welcome.player], [true, player]);
  gate.emit('open');
  await started;
  assert.equal((await back.next('match')).match, match);
});

const DISK_BYTES = 512 * 1024;

test('a full disk loses no checkpoint, and is shown on the page until there is space again', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can mount a small tmpfs');
  const dataDir = mountDisk(DISK_BYTES);
  const { tv, screen, first } = await playing(t, dataDir);
  await fillDisk(join(dataDir, 'junk'));

  // A player who joins changes people.json: a new file, for which there is no space.
  await Client.pad(tv, { name: 'Bob' });
  await until(() => tv.persistence.problem, 'a problem');
  const sentence = 'Matches are not being saved: the disk is full.';
  await screen.next('lobby', ({ problems }) => problems.includes(sentence));
  const [match] = tv.lobby.matches;
  const { ticks } = match;
  await until(() => match.ticks > ticks + 3 * TICKS, 'three more writes');
  const kept = await newest(dataDir);
  assert.ok(kept.tick >= first.tick, 'a checkpoint is readable');

  await rm(join(dataDir, 'junk'));
  await until(() => !tv.persistence.problem, 'the end of the problem');
  await screen.next('lobby', ({ problems }) => !problems.includes(sentence));
  const { tick } = await newest(dataDir);
  await until(async () => (await newest(dataDir)).tick > tick, 'a checkpoint after the problem');
  await tv.stop();
});

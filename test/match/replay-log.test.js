import assert from 'node:assert/strict';
import test from 'node:test';
import { loadCatalog } from '../../app/lobby/catalog.js';
import { createEngine } from '../../app/engine/index.js';
import { Mailbox, mailboxBytes } from '../../app/engine/mailbox/mailbox.js';
import { packInput } from '../../app/game/input.js';
import { HEADER_BYTES, PLAYER_BYTES } from '../../app/game/frame.js';
import { ReplayLog } from '../../app/match/replay-log.js';
import { TV_ENGINES, until } from '../support/tv.js';

const games = await loadCatalog();
const SLOTS = 2;
const SIZES = { inputSlots: SLOTS, frameBytes: 0, checkpointBytes: 8, inputLogTicks: 512 };

/** A worker and the main thread's side of one mailbox. */
function pair(sizes = SIZES) {
  const memory = new SharedArrayBuffer(mailboxBytes(sizes));
  const main = Mailbox.create(memory, sizes);
  return { main, worker: Mailbox.attach(memory), memory };
}

/** Ticks of a worker that reads tick * 10 + slot. @param {Mailbox} worker @param {number} from @param {number} to */
function work(worker, from, to) {
  for (let tick = from; tick <= to; tick++) {
    for (let slot = 0; slot < SLOTS; slot++) worker.inputLog?.record(slot, tick * 10 + slot);
    worker.tick = tick;
    worker.inputLog?.publish(tick);
    if (tick % 15 === 0) checkpoint(worker, tick);
  }
}

/** @param {Mailbox} worker @param {number} tick */
function checkpoint(worker, tick) {
  worker.checkpointTarget.fill(tick & 0xff);
  worker.publishCheckpoint(8, tick);
}

/** @param {import('../../app/match/replay-log.js').Replay} replay */
function whole({ checkpointTick, toTick, words }) {
  for (let tick = checkpointTick + 1, at = 0; tick <= toTick; tick++, at += SLOTS) {
    assert.deepEqual([words[at], words[at + 1]], [tick * 10, tick * 10 + 1], `tick ${tick}`);
  }
}

test('several changes of players in one tick leave one roster', () => {
  const { main, worker } = pair();
  const log = new ReplayLog(SIZES);
  checkpoint(worker, 0);
  work(worker, 1, 60);
  log.record(main);
  const roster = (/** @type {string} */ name) => [{ slot: 0, name, color: null }];
  for (let i = 0; i < 1000; i++) log.recordRoster(roster(`${i}`));
  work(worker, 61, 120);
  log.record(main);
  assert.deepEqual(log.clip(0).rosters, [{ tick: 60, roster: roster('999') }]);
});

test('a replay has the inputs of each tick since the checkpoint before its first tick', () => {
  const { main, worker } = pair();
  const log = new ReplayLog(SIZES);
  checkpoint(worker, 0);
  for (let tick = 1; tick < 4000; tick += 300) {
    work(worker, tick, tick + 299);
    log.record(main);
  }
  const replay = log.clip(log.lastTick - 900);
  assert.equal(replay.fromTick, log.lastTick - 900);
  assert.ok(replay.checkpointTick <= replay.fromTick);
  assert.equal(replay.checkpoint[0], replay.checkpointTick & 0xff);
  whole(replay);
  assert.ok(log.lastTick - log.firstTick >= 1800, '30 s are kept');
  assert.ok(log.lastTick - log.firstTick < 3000, 'and not everything');
});

test('a pin keeps two minutes', () => {
  const { main, worker } = pair();
  const log = new ReplayLog(SIZES);
  checkpoint(worker, 0);
  work(worker, 1, 60);
  log.record(main);
  const pin = log.pin();
  for (let tick = 61; tick < 7200; tick += 300) {
    work(worker, tick, tick + 299);
    log.record(main);
  }
  const from = log.unpin(pin);
  assert.equal(from, 60);
  const replay = log.clip(from);
  assert.equal(replay.fromTick, 60);
  whole(replay);
});

test('a worker that resumes from a checkpoint overwrites the ticks after it', () => {
  const { main, worker, memory } = pair();
  const log = new ReplayLog(SIZES);
  checkpoint(worker, 0);
  work(worker, 1, 400);
  log.record(main);
  for (let slot = 0; slot < SLOTS; slot++) worker.inputLog?.record(slot, -1); // it failed during a tick
  work(Mailbox.attach(memory), 391, 500);
  log.record(main);
  assert.equal(log.lastTick, 500);
  whole(log.clip(0));
});

test('the log begins after ticks that were lost', () => {
  const { main, worker } = pair();
  const log = new ReplayLog(SIZES);
  checkpoint(worker, 0);
  work(worker, 1, 100);
  log.record(main);
  work(worker, 101, 900); // the log has room for 512
  log.record(main);
  work(worker, 901, 1000);
  log.record(main);
  const replay = log.clip(0);
  assert.ok(replay.fromTick >= 388, `${replay.fromTick}`);
  whole(replay);
});

test('an empty log and a mailbox without an input log have no clip', () => {
  const log = new ReplayLog(SIZES);
  assert.throws(() => log.clip(0), { code: 'PITV_CLIP_EMPTY' });
  const { main, worker } = pair({ ...SIZES, inputLogTicks: 0 });
  work(worker, 1, 60);
  log.record(main);
  log.record(main);
  assert.throws(() => log.clip(0), { code: 'PITV_CLIP_EMPTY' });
});

test('the log neither throws nor hangs when a broken worker writes odd values', () => {
  const { main, worker } = pair();
  const log = new ReplayLog(SIZES);
  checkpoint(worker, 0);
  work(worker, 1, 50);
  for (const value of [-5, 0, 2 ** 31 - 1, -(2 ** 31), 7]) {
    worker.inputLog?.publish(value);
    worker.header[19] = value; // how much was logged
    log.record(main);
  }
  work(Mailbox.attach(main.header.buffer), 60, 120);
  log.record(main);
  assert.equal(log.lastTick, 120);
});

for (const name of TV_ENGINES) {
  test(`${name}: a replay has the same frames as the match, bit for bit`, async (t) => {
    const game = games.find(({ id }) => id === 'bumper');
    assert.ok(game);
    const options = { seed: 12345, match: 7 };
    const sizes = game.sizes(options);
    const engine = await createEngine(name, { maxWorkers: 1, modules: [game.url] });
    t.after(() => engine.close());
    const { mailbox } = await engine.start(game.url, {
      name: 'bumper',
      sizes,
      options,
      tickHz: 250,
    });
    const log = new ReplayLog(sizes);
    /** @type {Map<number, Buffer>} */
    const frames = new Map();
    let turn = 0;
    await until(() => {
      turn++;
      const x = Math.round(100 * Math.sin(turn / 9));
      mailbox.writeInput(turn % 3, packInput(x, 50, turn & 3, (turn >> 3) & 15, (turn >> 4) & 15));
      const frame = mailbox.takeFrame();
      if (frame) frames.set(frame.tick, Buffer.from(frame.bytes));
      if (turn % 7 === 0) log.record(mailbox);
      return frames.size > 30 && mailbox.tick > 700;
    }, 'a match of some length');
    log.record(mailbox);
    const replay = log.clip(0);
    const job = game.start(options);
    job.restore(replay.checkpoint);
    const target = new Uint8Array(new ArrayBuffer(sizes.frameBytes));
    let compared = 0;
    for (let tick = replay.checkpointTick + 1, at = 0; tick <= replay.toTick; tick++) {
      job.step(
        (slot) => replay.words[at + slot],
        () => 0,
      );
      at += replay.slots;
      const length = job.writeFrame(target);
      const seen = frames.get(tick);
      if (!seen) continue;
      // The sequence numbers of the inputs are not played again.
      for (let slot = 0; slot < replay.slots; slot++) {
        seen.writeUInt32LE(0, HEADER_BYTES + slot * PLAYER_BYTES);
      }
      assert.deepEqual(Buffer.from(target.subarray(0, length)), seen, `tick ${tick}`);
      compared++;
    }
    assert.ok(compared > 25, `${compared}`);
  });
}

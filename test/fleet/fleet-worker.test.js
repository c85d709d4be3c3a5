/** The worker of a match that runs on another node: what it sends and what it takes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { FleetCounters } from '../../app/fleet/fleet-counters.js';
import { FleetWorker } from '../../app/fleet/fleet-worker.js';
import { decodeInputs, encodeFrame } from '../../app/fleet/wire.js';

const EPOCH = 3;
const SIZES = { inputSlots: 2, frameBytes: 16, checkpointBytes: 16 };

/** Makes the worker of a match of another node. */
function follow() {
  /** @type {(bytes: Uint8Array) => void} */
  let receive = () => {};
  /** @type {import('../../app/fleet/wire.js').SlotInput[][]} */
  const sent = [];
  /** @type {string[]} */
  const asked = [];
  const link = {
    counters: new FleetCounters(),
    mayShow: () => true,
    isWanted: () => true,
    isHere: (/** @type {number} */ slot) => slot === 1,
    isAt: () => true,
    sendFrame: () => assert.fail('only the owner sends frames'),
    sendInputs: (/** @type {Uint8Array} */ message) => {
      const { epoch, inputs } = decodeInputs(message) ?? assert.fail('no inputs');
      assert.equal(epoch, worker.epoch);
      sent.push(inputs);
    },
    onFrames: (/** @type {typeof receive} */ onMessage) => {
      receive = onMessage;
      return () => (receive = () => {});
    },
    onInputs: () => () => {},
    requestStop: async (/** @type {string} */ reason) => void asked.push(reason),
    requestPause: async (/** @type {string} */ by = 'nobody') => void asked.push(by),
  };
  const worker = new FleetWorker(/** @type {any} */ ({ sizes: SIZES }), link, 1);
  worker.follow(EPOCH);
  /** @param {number} epoch @param {number} number @param {number[]} bytes */
  const frame = (epoch, number, bytes) =>
    receive(encodeFrame(epoch, number, Uint8Array.from(bytes)));
  return { worker, sent, asked, frame };
}

test('inputs of phones at this node are sent at once, those of phones elsewhere never', () => {
  const { worker, sent } = follow();
  worker.mailbox?.writeInput(0, 5);
  worker.sendInputs();
  worker.mailbox?.writeInput(1, 7);
  worker.sendInputs();
  assert.deepEqual(sent.at(-1), [{ slot: 1, word: 7, sequence: 1 }]);
  assert.ok(sent.flat().every(({ slot }) => slot === 1));
});

test('the newest frame of the owner is shown, and no other', () => {
  const { worker, frame } = follow();
  let frames = 0;
  worker.on('frame', () => frames++);
  const taken = () => worker.takeFrame()?.[0];
  frame(EPOCH, 1, [1]);
  assert.equal(taken(), 1);
  frame(EPOCH, 3, [3]);
  frame(EPOCH, 2, [2]); // late
  frame(EPOCH, 3, [4]); // twice
  frame(EPOCH - 1, 9, [5]); // of the former owner
  frame(EPOCH + 1, 9, [6]); // of an owner that this node does not know yet
  frame(EPOCH, 4, new Array(SIZES.frameBytes + 1).fill(7)); // too long
  assert.equal(taken(), 3);
  assert.equal(taken(), undefined);
  assert.equal(frames, 2, 'an event for each frame');
  worker.follow(EPOCH + 1);
  frame(EPOCH, 10, [8]);
  assert.equal(taken(), undefined);
  frame(EPOCH + 1, 1, [9]);
  assert.equal(taken(), 9);
});

test('the owner ends a match: this node asks it to, and ends it with the results of the owner', async () => {
  const { worker, asked } = follow();
  /** @type {unknown[]} */
  const ends = [];
  worker.on('end', (reason, end) => ends.push([reason, end]));
  assert.equal(worker.isOwn, false);
  await worker.end('stopped');
  assert.deepEqual([asked, ends, worker.ended], [['stopped'], [], false]);
  const end = { reason: /** @type {const} */ ('done'), message: 'The match is over.', results: [] };
  worker.endAs(end);
  assert.deepEqual([ends, worker.ended], [[['done', end]], true]);
});

test('the owner pauses a match: this node asks it to, and shows what its record says', () => {
  const { worker, asked } = follow();
  /** @type {unknown[]} */
  const pauses = [];
  worker.on('paused', (by) => pauses.push(by));
  worker.pause('Ann');
  worker.pause();
  assert.deepEqual([asked, pauses], [['Ann', 'nobody'], []]);
  for (const by of [undefined, 'Ann', 'Ann', undefined]) worker.notePause(by);
  assert.deepEqual(pauses, ['Ann', undefined]);
});

test('a TV that stops asks no owner to end its match', async () => {
  const { worker, asked } = follow();
  await worker.stop();
  assert.deepEqual([asked, worker.ended], [[], true]);
});

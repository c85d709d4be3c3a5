/** The worker of a match that runs on another node: what it sends and what it takes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { FleetCounters } from '../../app/fleet/fleet-counters.js';
import { FleetWorker } from '../../app/fleet/fleet-worker.js';
import { decodeInputs, encodeFrame } from '../../app/fleet/wire.js';
import { readTick } from '../../app/game/frame-reader.js';
import { makeFrame } from '../support/frame.js';

const EPOCH = 3;
const RECORD = Object.freeze({ epoch: EPOCH, restarts: 0 });
const FRAMES = { slots: 2, records: 0, kinds: 1, events: 0, lines: [false] };
const BODY = { id: 1, x: 0, y: 0 };
const SIZES = {
  inputSlots: 2,
  frameBytes: makeFrame({ bodies: [BODY] }).length,
  checkpointBytes: 16,
};

/** Makes the worker of a match of another node. */
function follow() {
  /** @type {(message: {data: Uint8Array}) => void} */
  let receive = () => {};
  /** @type {import('../../app/fleet/wire.js').SlotInput[][]} */
  const sent = [];
  /** @type {string[]} */
  const asked = [];
  const players = [
    { connected: true, home: 'b' },
    { connected: true, home: undefined },
  ];
  const seats = { playerAt: (/** @type {number} */ slot) => players[slot] };
  const fleet = {
    node: 'a',
    counters: new FleetCounters(),
    lobby: { find: () => ({ seats }) },
    connection: {
      publish(/** @type {string} */ subject, /** @type {Uint8Array} */ message) {
        assert.equal(subject, 'pitv.input.7.a', 'only the owner sends frames');
        const { epoch, inputs } = decodeInputs(message) ?? assert.fail('no inputs');
        assert.equal(epoch, worker.epoch);
        sent.push(inputs);
      },
      subscribe(/** @type {string} */ subject, /** @type {typeof receive} */ onMessage) {
        assert.equal(subject, 'pitv.frame.7');
        receive = onMessage;
        return () => (receive = () => {});
      },
    },
    record: () => ({ node: 'b' }),
    /** @param {string} node @param {string} operation @param {any} about */
    async ask(node, operation, about) {
      asked.push(`${node} ${operation} ${about.reason ?? about.by}`);
    },
  };
  const worker = new FleetWorker(
    /** @type {any} */ ({ sizes: SIZES, frames: FRAMES }),
    /** @type {any} */ (fleet),
    7,
  );
  worker.follow(RECORD);
  /** @param {number} epoch @param {number} number @param {Parameters<typeof makeFrame>[0]} content */
  const frame = (epoch, number, content) =>
    receive({ data: encodeFrame(epoch, number, makeFrame(content)) });
  const take = (/** @type {Uint8Array} */ data) => receive({ data });
  return { worker, sent, asked, frame, receive: take };
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
  const taken = () => readTick(worker.takeFrame() ?? new Uint8Array());
  frame(EPOCH, 1, { tick: 1 });
  assert.equal(taken(), 1);
  frame(EPOCH, 3, { tick: 3 });
  frame(EPOCH, 2, { tick: 2 }); // late
  frame(EPOCH, 3, { tick: 4 }); // twice
  frame(EPOCH - 1, 9, { tick: 5 }); // of the former owner
  frame(EPOCH + 1, 9, { tick: 6 }); // of an owner that this node does not know yet
  frame(EPOCH, 4, { tick: 7, bodies: [BODY, BODY] }); // too long
  assert.equal(taken(), 3);
  assert.equal(taken(), 0);
  assert.equal(frames, 2, 'an event for each frame');
  worker.follow({ ...RECORD, epoch: EPOCH + 1 });
  frame(EPOCH, 10, { tick: 8 });
  assert.equal(taken(), 0);
  frame(EPOCH + 1, 1, { tick: 9, bodies: [BODY] });
  assert.equal(taken(), 9);
});

test('what is no frame of the game is not shown, whatever another node sends', () => {
  const { worker, frame, receive } = follow();
  const good = makeFrame({ bodies: [BODY] });
  for (let length = 0; length < good.length; length++) {
    receive(encodeFrame(EPOCH, length + 1, good.subarray(0, length)));
  }
  frame(EPOCH, 100, { players: [{}] });
  frame(EPOCH, 101, { events: [{}] });
  frame(EPOCH, 102, { bodies: [{ ...BODY, kind: 1 }] });
  frame(EPOCH, 103, { phase: 9 });
  assert.equal(worker.takeFrame(), undefined);
  frame(EPOCH, 104, { tick: 4 });
  assert.equal(worker.takeFrame()?.length, makeFrame({}).length);
});

test('the owner ends a match: this node asks it to, and ends it with the results of the owner', async () => {
  const { worker, asked } = follow();
  /** @type {unknown[]} */
  const ends = [];
  worker.on('end', (reason, end) => ends.push([reason, end]));
  assert.equal(worker.isOwn, false);
  await worker.end('stopped');
  assert.deepEqual([asked, ends, worker.ended], [['b stop stopped'], [], false]);
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
  assert.deepEqual([asked, pauses], [['b pause Ann', 'b pause undefined'], []]);
  for (const pausedBy of [undefined, 'Ann', 'Ann', undefined]) {
    worker.follow({ ...RECORD, pausedBy });
  }
  assert.deepEqual(pauses, ['Ann', undefined]);
});

test('a match that moves or whose worker fails says so, also at the first change', () => {
  const { worker } = follow();
  /** @type {string[]} */
  const reasons = [];
  worker.on('restart', ({ reason }) => reasons.push(reason));
  worker.follow({ epoch: EPOCH, restarts: 1 });
  worker.follow({ epoch: EPOCH, restarts: 1 });
  worker.follow({ epoch: EPOCH + 1, restarts: 2 });
  worker.follow({ epoch: EPOCH + 1, restarts: 3 });
  assert.deepEqual([reasons, worker.restarts], [['crashed', 'moved', 'crashed'], 3]);
});

test('a TV that stops asks no owner to end its match', async () => {
  const { worker, asked } = follow();
  await worker.stop();
  assert.deepEqual([asked, worker.ended], [[], true]);
});

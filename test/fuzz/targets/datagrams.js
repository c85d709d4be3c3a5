/**
 * Datagrams over a real socket to the addon's receiver. The table in JavaScript gets the same datagrams; both must
 * agree on each outcome and the resulting input.
 */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { packInput, withGeneration } from '../../../app/game/input.js';
import { DATAGRAM_BYTES, encodeDatagram } from '../../../app/udp/datagram.js';
import { OUTCOME, OUTCOMES } from '../../../app/udp/outcomes.js';
import { openReceiver } from '../../../app/udp/receiver.js';
import { PadTable } from '../../../bench/scenarios/udp/pad-table.js';
import { makeMailbox } from '../../udp/helpers.js';
import { edited, randomBytes } from '../support/bytes.js';

const PAD = 0x01020304;
const MATCH = 777;
const SLOT = 2;
const GENERATION = 5;
const KEY = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const OTHER_KEY = Buffer.alloc(16, 7);
/** A batch that does not fit into the socket's buffer is dropped in part by the kernel. */
const BATCH = 150;
const BUFFER_BYTES = 212_992; // Linux gives twice as much
/** The receiver counts a batch within this time. */
const COUNTED_MS = 10_000;
const START = withGeneration(packInput(0, 0, 0, 3, 14), GENERATION);

const axis = fc.integer({ min: -128, max: 127 });
const count = fc.integer({ min: 0, max: 255 });
const valid = fc
  .record({
    match: fc.oneof({ weight: 8, arbitrary: fc.constant(MATCH) }, fc.nat(65535)),
    pad: fc.oneof(
      { weight: 8, arbitrary: fc.constant(PAD) },
      fc.constantFrom(0, PAD + 256, 0xffffffff),
    ),
    sequence: fc.oneof(fc.nat(200), fc.constantFrom(0, 0x7fffffff, 0x80000000, 0xffffffff)),
    slot: fc.oneof({ weight: 8, arbitrary: fc.constant(SLOT) }, count),
    x: axis,
    y: axis,
    buttons: count,
    pressesA: count,
    pressesB: count,
    key: fc.constantFrom(KEY, KEY, KEY, OTHER_KEY),
  })
  .map(({ key, ...input }) => encodeDatagram(input, key));

/** @type {import('../support/target.js').Target<Buffer>} */
export default {
  name: 'datagrams',
  seconds: 4,
  batch: BATCH,
  input: fc.oneof(valid, valid, edited(valid), randomBytes(2 * DATAGRAM_BYTES)),
  async open() {
    const receiver = await openReceiver({
      host: '127.0.0.1',
      perSecond: 0,
      bufferBytes: BUFFER_BYTES,
    });
    const socket = createSocket('udp4');
    const [theirs, ours] = [makeMailbox('mapping'), makeMailbox('shared array buffer')];
    const sums = () => receiver.counters()[0].outcomes;
    const total = () => sums().reduce((a, b) => a + b, 0);

    return {
      async check(datagrams) {
        const table = new PadTable();
        for (const [side, { mailbox }] of /** @type {const} */ ([
          [receiver, theirs],
          [table, ours],
        ])) {
          side.add(PAD, KEY);
          mailbox.writeInput(SLOT, START);
          const { inputs } = mailbox;
          side.seat(PAD, { inputs, slot: SLOT, match: MATCH, generation: GENERATION });
        }
        const expected = new Array(OUTCOMES.length).fill(0);
        for (const bytes of datagrams) expected[table.receive(bytes)]++;
        if (expected[OUTCOME.accepted] === 0) assert.equal(ours.mailbox.readInput(SLOT), START);

        const before = sums();
        for (const bytes of datagrams) socket.send(bytes, receiver.port, '127.0.0.1');
        const wanted = total() + datagrams.length;
        const late = performance.now() + COUNTED_MS;
        while (total() < wanted) {
          const [{ overflows }] = receiver.counters();
          assert.ok(performance.now() < late, `datagrams were lost, ${overflows} by the socket`);
          await turn();
        }
        const outcomes = sums().map((value, i) => value - before[i]);
        assert.deepEqual(outcomes, expected);
        for (let slot = 0; slot < 4; slot++)
          assert.equal(theirs.mailbox.readInput(slot), ours.mailbox.readInput(slot));
      },
      async close() {
        await receiver.close();
        theirs.unmap();
        await new Promise((resolve) => socket.close(() => resolve(undefined)));
      },
    };
  },
};

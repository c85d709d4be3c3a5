/**
 * Datagrams over a real socket to the addon's receiver. The table in JavaScript gets the same datagrams; both must
 * agree on each outcome and the resulting input.
 */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { DATAGRAM_BYTES, encodeDatagram } from '../../../app/udp/datagram.js';
import { OUTCOME, OUTCOMES } from '../../../app/udp/outcomes.js';
import { PadTable } from '../../../bench/scenarios/udp/pad-table.js';
import { openScope } from '../../support/polling.js';
import { GENERATION, MATCH, SLOT, makeMailbox, open } from '../../udp/helpers.js';
import { edited, randomBytes, weighted } from '../support/arbitraries.js';

const PAD = 0x01020304;
const KEY = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const OTHER_KEY = Buffer.alloc(16, 7);
/** A batch that does not fit into the socket's buffer is dropped in part by the kernel. */
const BATCH = 150;
const BUFFER_BYTES = 212_992; // Linux gives twice as much
/** The receiver counts a batch within this time. */
const COUNTED_MS = 10_000;

const axis = fc.integer({ min: -128, max: 127 });
const count = fc.integer({ min: 0, max: 255 });
const valid = fc
  .record({
    match: weighted([8, fc.constant(MATCH)], [1, fc.nat(65535)]),
    pad: weighted([8, fc.constant(PAD)], [1, fc.constantFrom(0, PAD + 256, 0xffffffff)]),
    sequence: fc.oneof(fc.nat(200), fc.constantFrom(0, 0x7fffffff, 0x80000000, 0xffffffff)),
    slot: weighted([8, fc.constant(SLOT)], [1, count]),
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
  batch: BATCH,
  input: fc.oneof(valid, valid, edited(valid), randomBytes(2 * DATAGRAM_BYTES)),
  async open() {
    const scope = openScope();
    const options = { perSecond: 0, bufferBytes: BUFFER_BYTES };
    const { receiver, socket, present, sums, total } = await open(
      /** @type {any} */ (scope),
      options,
    );
    const [theirs, ours] = [makeMailbox('mapping'), makeMailbox('shared array buffer')];

    return {
      async check(datagrams) {
        const table = new PadTable();
        for (const [side, { mailbox }] of /** @type {const} */ ([
          [receiver, theirs],
          [table, ours],
        ])) {
          side.add(PAD, KEY);
          mailbox.writeInput(SLOT, present);
          const { inputs } = mailbox;
          side.seat(PAD, { inputs, slot: SLOT, match: MATCH, generation: GENERATION });
        }
        const expected = new Array(OUTCOMES.length).fill(0);
        for (const bytes of datagrams) expected[table.receive(bytes)]++;
        if (expected[OUTCOME.accepted] === 0) assert.equal(ours.mailbox.readInput(SLOT), present);

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
        await scope.close();
        theirs.unmap();
      },
    };
  },
};

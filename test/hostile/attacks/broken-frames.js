/** Frames that RFC 6455 forbids: unmasked, reserved bits and opcodes, fragmented control frames, impossible lengths. */
import { frame, OPCODE } from '../support/wire.js';

const FORBIDDEN = [
  frame(OPCODE.text, 'hi', { masked: false }),
  frame(OPCODE.text, 'hi', { reserved: 1 }),
  frame(OPCODE.text, 'hi', { reserved: 7 }),
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) => frame(opcode, 'x')),
  frame(OPCODE.ping, 'x'.repeat(200)),
  frame(OPCODE.ping, 'x', { fin: false }),
  frame(OPCODE.continuation, 'x'),
  frame(OPCODE.close, 'x'),
  frame(OPCODE.close, Buffer.from([0, 0])),
  frame(OPCODE.close, Buffer.from([3, 237])),
  frame(OPCODE.text, Buffer.from([0xff, 0xfe, 0xc0])),
  frame(OPCODE.text, Buffer.from([0xed, 0xa0, 0x80])),
  frame(OPCODE.binary, '', { length: 2 ** 52 }),
  Buffer.from([0x82, 0xff, 255, 255, 255, 255, 255, 255, 255, 255]),
  Buffer.concat([frame(OPCODE.text, 'a', { fin: false }), frame(OPCODE.text, 'b')]),
];

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'frames against the rules',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ crowd, upgrade, write, pause, repeat, signal }) {
    await crowd(20, (i) =>
      repeat(async (turn) => {
        const n = (i + turn) % FORBIDDEN.length;
        const socket = await upgrade();
        if (!(await write(socket, FORBIDDEN[n]))) return;
        for (let waits = 0; waits < 100 && !socket.destroyed && !signal.aborted; waits++) {
          await pause(20);
        }
        if (!socket.destroyed && !signal.aborted) {
          throw new Error(`a connection outlived the forbidden frame ${n}`);
        }
        socket.destroy();
      }),
    );
  },
};

/** Frames that claim gigabytes and send megabytes, and frames one byte over the limit. */
import { LIMITS } from '../../../app/limits/table.js';
import { frame, OPCODE, textFrame } from '../support/wire.js';

const CLAIMS = [LIMITS.messageBytes.value + 1, 65_536, 2 ** 31, 2 ** 32, 2 ** 40];

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'frames that are too big',
  bounds: { seconds: 3, bytes: 40_000_000 },
  async run({ crowd, upgrade, write, flood, repeat }) {
    const filling = Buffer.alloc(65_536, 'x');
    await crowd(10, (i) =>
      repeat(async (turn) => {
        const socket = await upgrade();
        if (i % 2) await write(socket, textFrame({ t: 'hello', role: 'screen' }));
        const length = CLAIMS[(i + turn) % CLAIMS.length];
        await write(socket, frame(turn % 2 ? OPCODE.text : OPCODE.binary, '', { length }));
        await flood(socket, filling);
      }),
    );
  },
};

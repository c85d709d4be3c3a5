/** Phones and screens that say and steer as much as the network carries. */
import { frame, OPCODE, textFrame } from '../support/wire.js';

const INPUT = Buffer.from([1, 100, 100, 3, 9, 9, 0, 1]);

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'floods of messages and inputs',
  bounds: { seconds: 3, bytes: 30_000_000 },
  async run({ tv, crowd, upgrade, write, flood, pause, repeat }) {
    const { code } = tv;
    const floods = [
      frame(OPCODE.binary, INPUT),
      textFrame({ t: 'ping', at: 1 }),
      textFrame({ t: 'leave' }),
      frame(OPCODE.text, 'not JSON'),
      textFrame({ t: 'watch', match: null }),
      frame(OPCODE.text, ''),
    ];
    await crowd(6, (i) =>
      repeat(async () => {
        const socket = await upgrade();
        const role = i < 4 ? { role: 'pad', code, name: 'Flood' } : { role: 'screen' };
        await write(socket, textFrame({ t: 'hello', ...role }));
        await pause(20);
        await flood(socket, Buffer.concat(new Array(500).fill(floods[i])));
      }),
    );
  },
};

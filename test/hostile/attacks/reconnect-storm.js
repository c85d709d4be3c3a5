/** Websockets that are opened and dropped as fast as one computer can, some after their hello. */
import { textFrame } from '../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'storm of reconnects',
  bounds: { seconds: 4, bytes: 30_000_000 },
  async run({ tv, addresses, crowd, upgrade, write, repeat }) {
    const hellos = [
      textFrame({ t: 'hello', role: 'screen' }),
      textFrame({ t: 'hello', role: 'pad', code: tv.code, name: 'Storm' }),
    ];
    await crowd(32, (i) =>
      repeat(async (turn) => {
        const socket = await upgrade({ address: addresses[i % addresses.length] });
        if (turn % 3) await write(socket, hellos[turn % 2]);
        if (turn % 5) socket.destroy();
        else socket.resetAndDestroy();
      }),
    );
  },
};

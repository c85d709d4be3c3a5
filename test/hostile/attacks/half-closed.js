/** Requests of clients that close their half at once and never read the answer. */
import { request } from '../support/wire.js';

const SOCKETS = 60;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'half-closed sockets',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, crowd, open, pause, repeat }) {
    await crowd(SOCKETS, () =>
      repeat(async () => {
        const socket = await open({ allowHalfOpen: true });
        socket.pause();
        socket.end(request(tv, '/lib/renderer.js', { close: false }));
        await pause(100);
        socket.destroy();
      }),
    );
  },
};

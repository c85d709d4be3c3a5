/** Requests and websocket frames of which every byte travels alone. */
import { textFrame, request } from '../support/wire.js';

const SOCKETS = 16;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'segments of one byte',
  bounds: { seconds: 3, bytes: 5_000_000 },
  async run({ tv, crowd, open, upgrade, write, repeat }) {
    const page = Buffer.from(request(tv, '/', { close: false }));
    const hello = textFrame({ t: 'hello', role: 'screen' });
    await crowd(SOCKETS, (i) =>
      repeat(async () => {
        const socket = await (i % 2 ? upgrade() : open());
        socket.setNoDelay(true);
        socket.resume();
        const bytes = i % 2 ? hello : page;
        for (const byte of bytes) if (!(await write(socket, Buffer.from([byte])))) break;
        socket.destroy();
      }),
    );
  },
};

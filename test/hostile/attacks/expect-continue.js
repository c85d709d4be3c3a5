/** Clients that ask whether they may send a body, and send none or a huge one. */
import { hostLine } from '../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'storm of Expect: 100-continue',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, crowd, open, write, pause, repeat }) {
    const expectations = ['100-continue', '100-continue, 100-continue', 'more', '\t100-CONTINUE'];
    await crowd(40, (i) =>
      repeat(async (turn) => {
        const socket = await open();
        socket.resume();
        const expect = expectations[(i + turn) % expectations.length];
        const head = `POST /api/matches HTTP/1.1\r\n${hostLine(tv)}Expect: ${expect}\r\n`;
        const type = 'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
        await write(socket, (head + type).repeat(1 + (turn % 3)));
        if (turn % 2) await write(socket, 'x'.repeat(50_000));
        await pause(30);
        socket.destroy();
      }),
    );
  },
};

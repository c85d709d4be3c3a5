/** Guesses at the join code over websockets and over the API. */
import { request, textFrame } from '../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'guesses at the join code',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, addresses, crowd, ask, upgrade, write, pause, repeat, signal }) {
    await crowd(8, (i) =>
      repeat(async (turn) => {
        const address = addresses[i % addresses.length];
        const code = `B${String(turn).padStart(2, '2')}${String(i).padStart(2, '2')}`;
        if (i % 2) {
          const body = JSON.stringify({ game: 'collide', code });
          const headers = 'Content-Type: application/json\r\n';
          const bytes = request(tv, '/api/matches', { method: 'POST', headers, body });
          const answer = await ask(bytes, { address });
          if (!signal.aborted && /^HTTP\/1.1 2/.test(answer)) throw new Error(answer);
        } else {
          const socket = await upgrade({ address });
          for (let n = 0; n < 20; n++) {
            await write(socket, textFrame({ t: 'hello', role: 'pad', code: code + n }));
          }
          await pause(20);
          socket.destroy();
        }
      }),
    );
  },
};

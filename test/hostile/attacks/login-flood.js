/** Guesses at the admin's password from several addresses, more than the hashing can follow. */
import { request } from '../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'flood of logins',
  bounds: { seconds: 4, bytes: 20_000_000 },
  async run({ tv, addresses, crowd, ask, repeat, signal }) {
    const origin = `Origin: http://${tv.host}:${tv.port}\r\nContent-Type: application/json\r\n`;
    await crowd(32, (i) =>
      repeat(async (turn) => {
        const password = turn % 4 ? `guess ${i} ${turn}` : 'x'.repeat(3000);
        const body = JSON.stringify({ password });
        const bytes = request(tv, '/api/admin/login', { method: 'POST', headers: origin, body });
        const answer = await ask(bytes, { address: addresses[i % addresses.length] });
        if (!signal.aborted && /^HTTP\/1.1 2|^set-cookie/im.test(answer)) {
          throw new Error(`a guess was right: ${answer.slice(0, 200)}`);
        }
      }),
    );
  },
};

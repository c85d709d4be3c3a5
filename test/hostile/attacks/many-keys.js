/** Query strings, cookies and JSON keys of very many names. */
import { request } from '../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'thousands of query parameters, cookies and keys',
  bounds: { seconds: 3, bytes: 30_000_000 },
  async run({ tv, crowd, ask, repeat }) {
    const names = Array.from({ length: 1500 }, (_, i) => `k${i}`);
    const deep = `a${'[b]'.repeat(2000)}=1`;
    const keys = `{${names
      .slice(0, 500)
      .map((name) => `"${name}":0`)
      .join()}}`;
    const bombs = [
      request(tv, `/p?${names.join('=1&')}`),
      request(tv, `/p?${deep}`),
      request(tv, `/p?c=1${'&c=1'.repeat(3000)}`),
      request(tv, '/api/admin/session', { headers: `Cookie: ${names.join('=1; ')}\r\n` }),
      request(tv, '/api/matches', {
        method: 'POST',
        headers: 'Content-Type: application/json\r\n',
        body: keys,
      }),
    ];
    await crowd(10, (i) => repeat(async (turn) => ask(bombs[(i + turn) % bombs.length])));
  },
};

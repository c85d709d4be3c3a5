/** Everything that costs the TV more than the client: metrics, previews, lists, compressed pages. */
import { request } from '../support/wire.js';

const PATHS = [
  '/metrics',
  '/api/games/bumper/preview',
  '/api/games/swarm/preview',
  '/api/games/collide/preview',
  '/api/games',
  '/api/matches',
  '/api/admin/session',
  '/lib/renderer.js',
];

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'scraping of metrics and previews',
  bounds: { seconds: 4, bytes: 300_000_000 },
  async run({ tv, addresses, crowd, ask, repeat }) {
    const headers = 'Accept-Encoding: gzip, br\r\n';
    await crowd(48, (i) =>
      repeat(async (turn) =>
        ask(request(tv, PATHS[(i + turn) % PATHS.length], { headers }), {
          address: addresses[i % addresses.length],
        }),
      ),
    );
  },
};

/** Requests for everything that only the admin may do, without a password. */
import { listAdminRoutes } from '../../support/routes.js';
import { request } from '../support/wire.js';

const ROUTES = [
  ...listAdminRoutes(),
  { method: 'GET', path: '/api/profiles/..%2f..%2fadmin-token' },
  { method: 'POST', path: '/api/system/reboot' },
];
/** The attack sends more requests than its addresses may. */
const TOO_MANY = /^HTTP\/1.1 429 /;
const CLAIMS = [
  '',
  'Authorization: Bearer x\r\n',
  'Authorization: Basic YWRtaW46YWRtaW4=\r\n',
  'Cookie: pitv=1; pitv-admin=1; session=1\r\n',
  'X-Forwarded-For: 127.0.0.1\r\nX-Real-IP: 127.0.0.1\r\n',
];

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: "the admin's routes without a password",
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, addresses, crowd, ask, repeat, signal }) {
    await crowd(8, (i) =>
      repeat(async (turn) => {
        const { method, path } = ROUTES[(i + turn) % ROUTES.length];
        const claim = CLAIMS[turn % CLAIMS.length];
        const body =
          method === 'POST' ? '{"target":"main","kind":"heap","password":"new password"}' : '';
        const headers = `${claim}Content-Type: application/json\r\n`;
        const address = addresses[i % addresses.length];
        const answer = await ask(request(tv, path, { method, headers, body }), { address });
        if (signal.aborted || !answer || TOO_MANY.test(answer)) return;
        const isRefused =
          answer.startsWith('HTTP/1.1 401 ') &&
          (method === 'HEAD' || answer.includes('"PITV_ADMIN_ONLY"'));
        if (!isRefused) throw new Error(`${method} ${path}: ${answer.slice(0, 200)}`);
      }),
    );
  },
};

/** Requests for everything that only the admin may do, without a password. */
import { request } from '../support/wire.js';

const ROUTES = [
  ['GET', '/api/profiles'],
  ['POST', '/api/profiles'],
  ['GET', '/api/profiles/..%2f..%2fadmin-token'],
  ['DELETE', '/api/profiles/x'],
  ['GET', '/api/system'],
  ['POST', '/api/system/reboot'],
  ['POST', '/api/system/bench'],
  ['GET', '/api/clips'],
  ['POST', '/api/clips'],
  ['DELETE', '/api/clips/x'],
  ['GET', '/api/measurements'],
  ['DELETE', '/api/measurements'],
  ['POST', '/api/admin/password'],
];
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
  async run({ tv, crowd, ask, repeat, signal }) {
    await crowd(8, (i) =>
      repeat(async (turn) => {
        const [method, path] = ROUTES[(i + turn) % ROUTES.length];
        const claim = CLAIMS[turn % CLAIMS.length];
        const body =
          method === 'POST' ? '{"target":"main","kind":"heap","password":"new password"}' : '';
        const headers = `${claim}Content-Type: application/json\r\n`;
        const answer = await ask(request(tv, path, { method, headers, body }));
        if (!signal.aborted && answer && !/^HTTP\/1.1 4\d\d/.test(answer)) {
          throw new Error(`${method} ${path}: ${answer.slice(0, 200)}`);
        }
      }),
    );
  },
};

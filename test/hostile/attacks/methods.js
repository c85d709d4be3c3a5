/** Methods, versions and request lines that no browser sends. */
import { hostLine } from '../support/wire.js';

const METHODS =
  'TRACE TRACK CONNECT OPTIONS PROPFIND PUT PATCH DELETE HEAD get PURGE M-SEARCH X'.split(' ');
const PATHS = ['/', '*', '/api/matches', 'tv:80', 'http://tv/metrics', '/metrics', '/healthz', ''];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/9.9', '', 'http/1.1'];
const SECRET = 'sent-by-the-attacker';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'odd methods',
  bounds: { seconds: 4, bytes: 10_000_000 },
  async run({ tv, crowd, ask, signal }) {
    const lines = METHODS.flatMap((method) =>
      PATHS.flatMap((path) => VERSIONS.map((version) => `${method} ${path} ${version}`)),
    );
    await crowd(8, async (i) => {
      for (let n = i; n < lines.length && !signal.aborted; n += 8) {
        const headers = `${hostLine(tv)}X-Secret: ${SECRET}\r\nConnection: close\r\n`;
        const answer = await ask(`${lines[n]}\r\n${headers}\r\n`);
        if (answer.includes(SECRET) || /^HTTP\/1.1 5/.test(answer)) {
          throw new Error(`${lines[n]} was answered with ${answer.slice(0, 200)}`);
        }
      }
    });
  },
};

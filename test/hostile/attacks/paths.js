/** Paths that lead out of the folders of pages and profiles, in every spelling. */
import { request } from '../../support/wire.js';

const UP = [
  '..',
  '%2e%2e',
  '.%2e',
  '%252e%252e',
  '..%00',
  '..;',
  '%c0%ae%c0%ae',
  '....',
  '%2e%2e%2f..',
];
const SLASHES = ['/', '%2f', '\\', '%5c', '%252f', '//'];
const STARTS = ['/', '/lib/', '/screen/', '/api/profiles/', '/api/games/'];
const GOALS = ['etc/passwd', 'package.json', 'proc/self/environ', 'admin-token'];
const ODD = [
  '/%',
  '/%zz',
  '/%00',
  '/\u0000',
  '/lib/renderer.js%00.html',
  '/.git/config',
  '/screen/.%2f.hidden',
  '//evil.example/',
  '/p?c=%0d%0aSet-Cookie:%20a=b',
  '/p?c[__proto__]=1&c[]=2',
  'http://evil.example/metrics',
  '/constructor',
  '/api/games/__proto__/preview',
  '/api/matches/__proto__',
  '/lib',
  '/lib/',
];

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'path tricks',
  bounds: { seconds: 4, bytes: 20_000_000 },
  async run({ tv, crowd, ask, signal }) {
    const depths = [3, 8];
    const paths = STARTS.flatMap((start) =>
      UP.flatMap((up) =>
        SLASHES.flatMap((slash) =>
          depths.map(
            (depth, i) =>
              start + (up + slash).repeat(depth) + GOALS[(i + up.length) % GOALS.length],
          ),
        ),
      ),
    );
    const all = [...ODD, ...paths];
    await crowd(8, async (i) => {
      for (let n = i; n < all.length && !signal.aborted; n += 8) {
        const answer = await ask(request(tv, all[n]));
        const [head, body = ''] = answer.split('\r\n\r\n');
        const leaks = /root:|"dependencies"|PATH=|\[core\]/.test(body);
        if (leaks || /^set-cookie/im.test(head) || / 5\d\d /.test(head.slice(0, 14))) {
          throw new Error(`${all[n]} was answered with ${answer.slice(0, 200)}`);
        }
      }
    });
  },
};

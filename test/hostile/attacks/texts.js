/** Attacks by texts: JSON that is deep or tries to change prototypes, and paths that lead out of their folders. */
import { OPCODE, frame, postJson, request } from '../../support/wire.js';
import { eachOnce, inTurns } from '../support/attacker.js';

/** JSON nested thousands of times, and JSON that tries to change the prototypes of the TV's objects. */
const NESTED = '['.repeat(1900) + ']'.repeat(1900);
const OBJECTS = '{"a":'.repeat(650) + '1' + '}'.repeat(650);
const POLLUTING = [
  '{"t":"hello","role":"screen","__proto__":{"polluted":true,"admin":true}}',
  '{"t":"start","game":"collide","options":{"__proto__":{"polluted":true}}}',
  '{"t":"start","game":"__proto__"}',
  '{"t":"start","game":"bumper","options":{"constructor":{"prototype":{"polluted":true}}}}',
  '{"t":"__proto__"}',
  '{"t":"constructor"}',
  '{"t":"watch","match":{"__proto__":1}}',
  `{"t":"hello","role":"pad","code":${NESTED}}`,
  `{"t":"hello","role":"pad","code":"x","token":${OBJECTS}}`,
  `{"t":"name","name":${NESTED}}`,
  '{"t":"join","match":1e999}',
  '{"t":"ping","at":-1e999}',
  '{"t":"hello","t":"hello","role":"screen","role":"pad"}',
  '"\\ud800"',
  '1e1000000',
  `${'9'.repeat(4000)}`,
];

/** Parts of paths that lead out of the folders of pages and profiles, in every spelling. */
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

const DEPTHS = [3, 8];
const PATHS = STARTS.flatMap((start) =>
  UP.flatMap((up) =>
    SLASHES.flatMap((slash) =>
      DEPTHS.map(
        (depth, i) => start + (up + slash).repeat(depth) + GOALS[(i + up.length) % GOALS.length],
      ),
    ),
  ),
);

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
  'json-bombs': {
    name: 'JSON bombs and prototype pollution',
    async run(attacker) {
      const { tv } = attacker;
      const send = inTurns(8, POLLUTING, async ({ ask, upgrade, write, pause }, text, { i }) => {
        await ask(postJson(tv, i % 2 ? '/api/matches' : '/api/admin/login', text));
        const socket = await upgrade();
        await write(socket, frame(OPCODE.text, text));
        await write(socket, frame(OPCODE.text, '{"t":"hello","role":"screen"}'));
        for (const each of POLLUTING) await write(socket, frame(OPCODE.text, each));
        await pause(50);
        socket.destroy();
      });
      await send(attacker);
      const answer = await fetch(`http://${tv.host}:${tv.port}/api/admin/session`);
      const session = await answer.json();
      if (session.admin || session.polluted) throw new Error(JSON.stringify(session));
    },
  },

  paths: {
    name: 'path tricks',
    bounds: { seconds: 4, bytes: 20_000_000 },
    run: eachOnce(8, [...ODD, ...PATHS], async ({ tv, ask }, path) => {
      const answer = await ask(request(tv, path));
      const [head, body = ''] = answer.split('\r\n\r\n');
      const leaks = /root:|"dependencies"|PATH=|\[core\]/.test(body);
      if (leaks || /^set-cookie/im.test(head) || / 5\d\d /.test(head.slice(0, 14))) {
        throw new Error(`${path} was answered with ${answer.slice(0, 200)}`);
      }
    }),
  },
};

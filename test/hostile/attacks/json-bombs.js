/** JSON nested thousands of times, and JSON that tries to change the prototypes of the TV's objects. */
import { frame, OPCODE, request } from '../../support/wire.js';

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

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'JSON bombs and prototype pollution',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, crowd, ask, upgrade, write, pause, repeat }) {
    const post = (/** @type {string} */ path, /** @type {string} */ body) =>
      ask(
        request(tv, path, { method: 'POST', headers: 'Content-Type: application/json\r\n', body }),
      );
    await crowd(8, (i) =>
      repeat(async (turn) => {
        const text = POLLUTING[(i + turn) % POLLUTING.length];
        await post(i % 2 ? '/api/matches' : '/api/admin/login', text);
        const socket = await upgrade();
        await write(socket, frame(OPCODE.text, text));
        await write(socket, frame(OPCODE.text, '{"t":"hello","role":"screen"}'));
        for (const each of POLLUTING) await write(socket, frame(OPCODE.text, each));
        await pause(50);
        socket.destroy();
      }),
    );
    const answer = await fetch(`http://${tv.host}:${tv.port}/api/admin/session`);
    const session = await answer.json();
    if (session.admin || session.polluted) throw new Error(JSON.stringify(session));
  },
};

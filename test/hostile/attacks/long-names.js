/** Names of 64 KiB and names of hard letters, as players' names and wherever else a name goes. */
import { frame, OPCODE, request, textFrame } from '../support/wire.js';

const BIG = 65_536;
const COMBINING = 'a' + '\u0301'.repeat(1000);
const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d'.repeat(100);

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'names of 64 KiB',
  bounds: { seconds: 3, bytes: 40_000_000 },
  async run({ tv, crowd, ask, upgrade, write, pause, repeat }) {
    const { code } = tv;
    const hello = (/** @type {string} */ name) =>
      textFrame({ t: 'hello', role: 'pad', code, name });
    await crowd(6, (i) =>
      repeat(async (turn) => {
        const socket = await upgrade();
        if (i === 0) await write(socket, hello('x'.repeat(BIG)));
        else if (i === 1) {
          await write(socket, frame(OPCODE.text, `{"t":"${'t'.repeat(4000)}"}`));
        } else if (i === 2) {
          const names = Array.from({ length: 200 }, (_, n) => `"__proto__${n}":1`).join();
          await write(socket, frame(OPCODE.text, `{"t":"hello",${names}}`));
        } else {
          await write(socket, hello(i % 2 ? COMBINING : FAMILY));
          for (let n = 0; n < 20; n++) {
            const name = (i % 2 ? FAMILY : COMBINING) + turn + n;
            if (!(await write(socket, textFrame({ t: 'name', name })))) break;
          }
        }
        await ask(request(tv, `/api/games/${'g'.repeat(10_000)}/preview`));
        await pause(20);
        socket.destroy();
      }),
    );
  },
};

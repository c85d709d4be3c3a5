/** Hellos on one connection after another and again on the same one, right ones and wrong ones. */
import { textFrame } from '../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'storm of hellos',
  bounds: { seconds: 4, bytes: 30_000_000 },
  async run({ tv, crowd, upgrade, flood, repeat }) {
    const { code } = tv;
    const hellos = [
      { t: 'hello', role: 'screen' },
      { t: 'hello', role: 'pad', code, name: 'Hello' },
      { t: 'hello', role: 'pad', token: 'x'.repeat(64), code },
      { t: 'hello', role: 'screen', token: 'x'.repeat(4000) },
      { t: 'hello', role: 'admin' },
      { t: 'hello' },
    ].map(textFrame);
    await crowd(12, (i) =>
      repeat(async () => {
        const socket = await upgrade();
        const some = new Array(50).fill(hellos[i % hellos.length]);
        await flood(socket, Buffer.concat(some));
      }),
    );
  },
};

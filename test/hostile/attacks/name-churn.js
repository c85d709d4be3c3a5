/** Phones that change their names all the time, which the TV reports to every screen and phone. */

const PHONES = 24;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'names that change all the time',
  bounds: { seconds: 4, bytes: 100_000_000 },
  async run({ tv, addresses, crowd, client, pause, repeat }) {
    const { code } = tv;
    await crowd(PHONES, async (i) => {
      const address = addresses[i % addresses.length];
      const pad = await client({ t: 'hello', role: 'pad', code, name: `N${i}` }, { address });
      await repeat(async (turn) => {
        pad.send({ t: 'name', name: `${'名é\u{1f600}'[turn % 3]}${turn}` });
        await pause(100);
      });
    });
  },
};

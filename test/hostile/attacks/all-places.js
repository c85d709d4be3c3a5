/** As many phones as possible from one address, to leave no place for others. */

const PHONES = 64;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'one address takes all places',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, crowd, client, over }) {
    const { code } = tv;
    await crowd(PHONES, (i) => client({ t: 'hello', role: 'pad', code, name: `P${i}` }));
    await over();
  },
};

/** One computer with as many tabs as it may have, all of them screens that watch the match. */

const TABS = 60;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'sixty tabs of one computer',
  bounds: { seconds: 4, bytes: 100_000_000 },
  async run({ crowd, client, over }) {
    await crowd(TABS, () => client({ t: 'hello', role: 'screen' }));
    await over();
  },
};

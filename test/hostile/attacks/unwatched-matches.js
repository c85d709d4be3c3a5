/** A screen that starts games for screens and leaves before it has watched them: their places must become free. */

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'matches that nobody watches',
  slow: true,
  bounds: { seconds: 3, bytes: 10_000_000 },
  recoveryMs: 75_000, // such a match ends after a minute
  async run({ crowd, client, pause }) {
    await crowd(4, async () => {
      const screen = await client({ t: 'hello', role: 'screen' });
      await screen.next('welcome');
      screen.send({ t: 'start', game: 'collide' });
      screen.vanish();
    });
    await pause(500);
  },
};

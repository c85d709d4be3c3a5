/** Screens that start games for screens and leave before they have watched them: the places become free again. */

const SCREENS = 4;
/** The TV ends such a match after this time instead of a minute, ms. */
const UNWATCHED_MS = 2000;
const END_MS = UNWATCHED_MS + 2000;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'matches that nobody watches',
  whole: true,
  limits: { unwatchedMatch: UNWATCHED_MS },
  bounds: { seconds: END_MS / 1000 + 10, bytes: 10_000_000 },
  async run({ tv, crowd, client, pause }) {
    const url = `http://${tv.host}:${tv.port}/api/matches`;
    const countMatches = async () => (await (await fetch(url)).json()).matches.length;
    const before = await countMatches();
    await crowd(SCREENS, async (i) => {
      const screen = await client({ t: 'hello', role: 'screen' });
      await screen.next('welcome');
      if (i === 0) {
        screen.send({ t: 'start', game: 'collide' });
        await screen.next('watch');
      }
      screen.send({ t: 'start', game: 'collide' });
      await screen.settle();
      screen.vanish();
    });
    if ((await countMatches()) === before) throw new Error('no match was started');
    await pause(END_MS);
    const after = await countMatches();
    if (after > before) throw new Error(`${after - before} matches are still running`);
  },
};

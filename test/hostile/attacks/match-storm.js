/** Phones and screens that start matches, stop them at once, and try to stop the matches of others. */

const GAMES = ['collide', 'swarm', 'bumper', 'nope'];

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'storm of matches started and stopped',
  bounds: { seconds: 4, bytes: 30_000_000 },
  // A start that takes longer than the pause leaves a match behind whose stop message came too early. It ends when it
  // has had no connected player, or no screen that watched it, for this time instead of a minute, ms.
  limits: { emptyMatch: 2000, unwatchedMatch: 2000 },
  recoveryMs: 10_000,
  async run({ tv, crowd, client, pause, repeat, signal }) {
    const { code } = tv;
    await crowd(4, async (i) => {
      const role = i % 2 ? { role: 'pad', code, name: 'Storm' } : { role: 'screen' };
      const each = await client({ t: 'hello', ...role });
      await repeat(async (turn) => {
        each.send({ t: 'start', game: GAMES[(i + turn) % GAMES.length] });
        await pause(60);
        const { match } =
          each.messages.findLast(({ t }) => t === (i % 2 ? 'match' : 'watch')) ?? {};
        each.send({ t: 'stop', match });
        await pause(60);
        each.messages.length = 0;
        if (each.closed && !signal.aborted) throw new Error('the TV closed a connection');
      });
    });
  },
};

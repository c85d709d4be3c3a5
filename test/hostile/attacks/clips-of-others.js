/** Screens of one address make as many clips as they can: a screen of another address still gets one. */

const SCREENS = 8;
const CLIPS = 10;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'all clips taken by one address',
  slow: true,
  whole: true, // clips are made one after the other
  recoveryMs: 40_000, // clips that wait are still made
  bounds: { seconds: 60, bytes: 100_000_000 },
  async run({ tv, addresses, crowd, client, pause, signal }) {
    const { matches } = await (await fetch(`http://${tv.host}:${tv.port}/api/matches`)).json();
    const match = matches[0].id;
    const clip = { t: 'clip', match, from: 'last', seconds: 1, height: 720 };
    const join = async (/** @type {string} */ address) => {
      const screen = await client({ t: 'hello', role: 'screen' }, { address });
      screen.send({ t: 'watch', match });
      return screen;
    };
    await crowd(SCREENS, async () => {
      const screen = await join(addresses[0]);
      for (let i = 0; i < CLIPS && !signal.aborted; i++) {
        screen.send(clip);
        await pause(2000);
      }
    });
    const other = await join(addresses[1]);
    other.send(clip);
    const answer = await other.until(
      () =>
        other.messages.find(
          ({ t, clips }) =>
            t === 'error' || clips?.some((/** @type {{yours: boolean}} */ { yours }) => yours),
        ),
      'the clip of the other address',
    );
    if (answer.t === 'error') throw new Error(answer.message);
  },
};

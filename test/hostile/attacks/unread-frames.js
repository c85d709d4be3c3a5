/** Screens that watch the match and never read a frame. */
import { textFrame } from '../support/wire.js';

const SCREENS = 60;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'frames that are never read',
  bounds: { seconds: 5, bytes: 20_000_000 },
  async run({ tv, crowd, upgrade, over }) {
    const { matches } = await (await fetch(`http://${tv.host}:${tv.port}/api/matches`)).json();
    await crowd(SCREENS, async () => {
      const socket = await upgrade();
      socket.pause();
      socket.write(textFrame({ t: 'hello', role: 'screen' }));
      for (const { id } of matches) socket.write(textFrame({ t: 'watch', match: id }));
    });
    await over();
  },
};

/** Screens that ask for clip after clip, of odd lengths and sizes, and read none of them. */
import { request } from '../../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'clips without end',
  recoveryMs: 40_000, // clips that wait are still made
  limits: {}, // on a TV of its own: the next attack must not find their memory in use
  bounds: { seconds: 5, bytes: 50_000_000 },
  async run({ tv, crowd, client, open, pause, repeat }) {
    const { matches } = await (await fetch(`http://${tv.host}:${tv.port}/api/matches`)).json();
    const match = matches[0].id;
    await crowd(8, async (i) => {
      const screen = await client({ t: 'hello', role: 'screen' });
      screen.send({ t: 'watch', match });
      await repeat(async (turn) => {
        const from = turn % 2 ? 'now' : 'last';
        const seconds = [1, 2, 0, -1, 1e9, 0.5, '1'][(i + turn) % 7];
        const height = [180, 1e9, -1, 'x'][turn % 4];
        screen.send({ t: 'clip', match, from, seconds, height });
        screen.send({ t: 'clip', match, from: 'last', seconds: 1 });
        screen.send({ t: 'clipFinish', clip: 'x' });
        screen.send({ t: 'clipDelete', clip: '../../x' });
        const list = screen.messages.findLast(({ t }) => t === 'clips')?.clips ?? [];
        for (const { url, id } of list) {
          if (url) {
            const socket = await open();
            socket.pause();
            socket.write(request(tv, url, { headers: 'Range: bytes=0-,1-\r\n' }));
          }
          screen.send({ t: 'clipFinish', clip: id });
        }
        screen.messages.length = 0;
        await pause(400);
      });
    });
  },
};

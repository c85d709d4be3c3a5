/** Idle connections in every state, which the client never closes: the TV closes each of them. */
import { hostLine, request, textFrame, upgradeRequest } from '../support/wire.js';

const EACH = 8;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'idle connections',
  slow: true,
  holds: true,
  recoveryMs: 40_000, // a whole request may take 30 s, and the TV looks every 2 s
  bounds: { seconds: 4, bytes: 20_000_000 },
  async run({ tv, crowd, open, over }) {
    const page = request(tv, '/lib/renderer.js', { close: false });
    const states = [
      '',
      'GET',
      `GET / HTTP/1.1\r\n${hostLine(tv)}`,
      `POST /api/matches HTTP/1.1\r\n${hostLine(tv)}Content-Length: 9\r\n\r\n{`,
      page,
      page.repeat(2000),
      upgradeRequest(tv),
      upgradeRequest(tv) + textFrame({ t: 'hello', role: 'screen' }).toString('latin1'),
      upgradeRequest(tv, '', '/nope'),
    ];
    await crowd(EACH * states.length, async (i) => {
      const socket = await open({ allowHalfOpen: true });
      if (i % 2) socket.pause();
      else socket.resume();
      socket.write(states[i % states.length], 'latin1');
    });
    await over();
  },
};

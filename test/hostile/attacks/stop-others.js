/** Clients that try to stop the match of others over every way that there is. */
import { request } from '../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: "attempts to stop others' matches",
  bounds: { seconds: 3, bytes: 10_000_000 },
  async run({ tv, client, ask, pause, repeat }) {
    const base = `http://${tv.host}:${tv.port}`;
    const { matches } = await (await fetch(`${base}/api/matches`)).json();
    const screen = await client({ t: 'hello', role: 'screen' });
    const pad = await client({ t: 'hello', role: 'pad', code: tv.code, name: 'Stop' });
    const headers = ['', 'Authorization: Bearer x\r\n', 'Cookie: pitv=x; pitv_session=x\r\n'];
    await repeat(async (turn) => {
      for (const { id } of matches) {
        screen.send({ t: 'watch', match: id });
        screen.send({ t: 'stop', match: id });
        pad.send({ t: 'join', match: id });
        pad.send({ t: 'stop', match: id });
        pad.send({ t: 'leave' });
        const path = `/api/matches/${id}`;
        await ask(request(tv, path, { method: 'DELETE', headers: headers[turn % headers.length] }));
      }
      await pause(200);
    });
  },
};

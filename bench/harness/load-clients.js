/**
 * A crowd of clients, in a process of its own: `node load-clients.js '{"url", "code", "screens", "pads",
 * "matches", "game"}'`. The screens watch, the pads play at 60 inputs a second. Tells its parent
 * 'ready' once every match runs, and how many frames have come whenever it sends something; ends when
 * the parent does.
 */
import { connect, push } from '../profile/clients.js';

let frames = 0;
/** @type {{url: string, code: string, screens: number, pads: number, matches: number, game: string}} */
const { url, code, screens, pads, matches, game } = JSON.parse(process.argv[2]);
const tv = { url, code };

const players = [];
for (let i = 0; i < pads; i++) {
  players.push(await connect(tv, { role: 'pad', name: `Pad ${i}` }));
}
for (let i = 0; i < matches; i++) {
  // Whoever is idle is in, so each match has the next eight.
  const response = await fetch(`${url}/api/matches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game, code }),
  });
  if (!response.ok) throw new Error(`no match: ${await response.text()}`);
}
const running = (await (await fetch(`${url}/api/matches`)).json()).matches;
for (let i = 0; i < screens; i++) {
  const screen = await connect(tv, { role: 'screen' }, { frame: () => frames++ });
  if (running.length > 0) {
    screen.send(JSON.stringify({ t: 'watch', match: running[i % running.length].id }));
  }
}
players.forEach((socket, number) => push(socket, number));
process.send?.('ready');
process.on('message', () => process.send?.(frames));
process.on('disconnect', () => process.exit());

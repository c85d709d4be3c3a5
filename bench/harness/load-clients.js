/**
 * Runs many clients in a process of its own: `node load-clients.js JSON` with the fields of ClientCounts and a TV's url
 * and code. The screens watch, and the pads send 60 inputs a second. Sends 'ready' to its parent when every match is
 * running, and answers each message with what the clients have received since the last one. Ends when the parent does.
 */
import { HEADER_AT } from '../../app/game/frame.js';
import { Client } from './client.js';
import { now } from './polling.js';
import { listMatches, startMatch } from './remote-tv.js';

/** @type {{url: string, code: string} & import('./remote-tv.js').ClientCounts} */
const { url, code, screens, pads, matches, game, differences, arrivals } = JSON.parse(
  process.argv[2],
);

const received = { frames: 0, screenBytes: 0, padBytes: 0 };
/** By screen: tick and arrival of each frame, ms on a clock that is the same for all processes. @type {number[][][]} */
const arrived = [];

const players = [];
for (let i = 0; i < pads; i++) {
  const pad = await new Client({ t: 'hello', role: 'pad', code, name: `Pad ${i}` }).join({ url });
  pad.socket.on('message', (data, isBinary) => {
    if (!isBinary) received.padBytes += /** @type {Buffer} */ (data).length;
  });
  players.push(pad);
}
// A match takes up to eight idle players, so each match gets the next eight.
for (let i = 0; i < matches; i++) await startMatch({ url, code }, game);
const running = await listMatches({ url });
for (let i = 0; i < screens; i++) {
  /** @type {number[][]} */
  const frames = (arrived[i] = []);
  const screen = await new Client({ t: 'hello', role: 'screen', code, differences }).join({ url });
  screen.socket.on('message', (data, isBinary) => {
    if (!isBinary) return;
    const bytes = /** @type {Buffer} */ (data);
    received.frames++;
    received.screenBytes += bytes.length;
    if (!arrivals) return;
    frames.push([bytes.readUInt32LE(HEADER_AT.tick), now()]);
  });
  if (running.length > 0) screen.send({ t: 'watch', match: running[i % running.length].id });
}
players.forEach((pad, number) => pad.push(number));

process.send?.('ready');
process.on('message', () => {
  process.send?.({ ...received, arrivals: arrived.map((frames) => frames.splice(0)) });
  Object.assign(received, { frames: 0, screenBytes: 0, padBytes: 0 });
});
process.on('disconnect', () => process.exit());

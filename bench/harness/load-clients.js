/**
 * Runs many clients in a process of its own: `node load-clients.js JSON` with the fields of ClientCounts and a TV's url
 * and code. The screens watch, and the pads send 60 inputs a second. Sends 'ready' to its parent when every match is
 * running, and answers each message with what the clients have received since the last one. Ends when the parent does.
 */
import { quantile } from 'simple-statistics';
import { HEADER_AT } from '../../app/game/frame.js';
import { connect, push } from '../profile/clients.js';

const TICK_MS = 1000 / 60;

/** @type {{url: string, code: string} & import('./remote-tv.js').ClientCounts} */
const { url, code, screens, pads, matches, game, options, differences, arrivals } = JSON.parse(
  process.argv[2],
);
const tv = { url, code };

const received = { frames: 0, screenBytes: 0, padBytes: 0 };
/** By screen: the arrival of each frame minus the time of its tick, ms. @type {number[][]} */
const delays = [];
/** By screen: tick and arrival of each frame, ms on a clock that is the same for all processes. @type {number[][][]} */
const arrived = [];

const players = [];
for (let i = 0; i < pads; i++) {
  const message = (/** @type {any} */ _message, /** @type {number} */ bytes) =>
    (received.padBytes += bytes);
  players.push(await connect(tv, { role: 'pad', name: `Pad ${i}` }, { message }));
}
for (let i = 0; i < matches; i++) {
  // A match takes up to eight idle players, so each match gets the next eight.
  const response = await fetch(`${url}/api/matches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game, options, code }),
  });
  if (!response.ok) throw new Error(`no match: ${await response.text()}`);
}
const running = (await (await fetch(`${url}/api/matches`)).json()).matches;
for (let i = 0; i < screens; i++) {
  /** @type {number[]} */
  const own = (delays[i] = []);
  /** @type {number[][]} */
  const frames = (arrived[i] = []);
  const frame = (/** @type {Buffer} */ bytes) => {
    const tick = bytes.readUInt32LE(HEADER_AT.tick);
    received.frames++;
    received.screenBytes += bytes.length;
    own.push(performance.now() - tick * TICK_MS);
    if (arrivals) frames.push([tick, Number(process.hrtime.bigint()) / 1e6]);
  };
  const screen = await connect(tv, { role: 'screen', differences }, { frame });
  if (running.length > 0) {
    screen.send(JSON.stringify({ t: 'watch', match: running[i % running.length].id }));
  }
}
players.forEach((socket, number) => push(socket, number));

/** Returns what was received since the last report. @returns {import('./remote-tv.js').Received} */
function report() {
  const late = delays.flatMap((own) => {
    const fastest = own.reduce((least, delay) => Math.min(least, delay), Infinity);
    return own.map((delay) => delay - fastest);
  });
  const lateP99 = late.length > 0 ? quantile(late, 0.99) : NaN;
  const result = { ...received, lateP99, arrivals: arrived.map((frames) => frames.splice(0)) };
  Object.assign(received, { frames: 0, screenBytes: 0, padBytes: 0 });
  for (const own of delays) own.length = 0;
  return result;
}

process.send?.('ready');
process.on('message', () => process.send?.(report()));
process.on('disconnect', () => process.exit());

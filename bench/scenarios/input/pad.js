/**
 * Runs a pad and a screen in one process, so that they share a clock: `node pad.js '{"url", "code", "transport",
 * "samples"}'`. The pad sends an input, the screen waits for the first frame that shows it, and so on. Sends the times
 * in ms to its parent, and ends when the parent does.
 */
import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { playerCount, readInputSequence } from '../../../app/game/frame-reader.js';
import { encodeDatagram } from '../../../app/udp/datagram.js';
import { Client } from '../../harness/client.js';

/** Random pause between two inputs, so that they arrive at any time between two ticks of worker and hub. */
const MIN_GAP_MS = 5;
const GAP_SPREAD_MS = 50;
/** Interval at which a pad repeats its state, because a datagram may be lost. */
const REPEAT_MS = 50;
/** First inputs, which are slower because the code is not compiled yet. */
const WARM_UPS = 10;

/** @type {{url: string, code: string, transport: 'websocket' | 'udp', samples: number}} */
const { url, code, transport, samples } = JSON.parse(process.argv[2]);
process.on('disconnect', () => process.exit());

const pad = await Client.pad({ url, code }, { name: 'Pad' });
if (transport === 'udp') pad.send({ t: 'udp' });
const grant = transport === 'udp' ? await pad.next('udp') : undefined;
pad.send({ t: 'start', game: 'bumper' });
const { match, slot } = await pad.next('match');
const screen = await Client.screen({ url, code });
screen.send({ t: 'watch', match });
await screen.next('watch', (message) => message.match === match);
const send = grant
  ? makeUdpSender(grant)
  : (/** @type {number} */ sequence) => pad.input(sequence % 127, 0);

let newest = 0;
/** Returns the number of the newest input that the screen shows. */
function shown() {
  const { frame } = screen;
  if (frame && frame.readUInt16LE(2) === match && playerCount(frame) > slot) {
    newest = readInputSequence(frame, slot);
  }
  return newest;
}

/** @param {{port: number, pad: number, key: string}} grant @returns {(sequence: number) => void} */
function makeUdpSender({ port, pad: number, key }) {
  const socket = createSocket('udp4');
  const secret = Buffer.from(key, 'hex');
  const { hostname } = new URL(url);
  return (sequence) => {
    const input = { match, pad: number, sequence, slot, x: sequence % 127, y: 0 };
    const held = { buttons: 0, pressesA: 0, pressesB: 0 };
    socket.send(encodeDatagram({ ...input, ...held }, secret), port, hostname);
  };
}

let sequence = 0;
/** Sends an input. @returns {Promise<number>} ms until the screen has a frame that shows it */
async function measureInput() {
  await sleep(MIN_GAP_MS + Math.random() * GAP_SPREAD_MS);
  const before = shown();
  const began = performance.now();
  send(++sequence);
  const repeat = setInterval(() => send(++sequence), REPEAT_MS);
  await screen.until(() => shown() !== before, 'a frame that shows the input');
  const took = performance.now() - began;
  clearInterval(repeat);
  return took;
}

const times = [];
for (let i = 0; i < WARM_UPS + samples; i++) times.push(await measureInput());
process.send?.(times.slice(WARM_UPS));

/**
 * Runs a pad and a screen in one process, so that they share a clock: `node pad.js '{"url", "code", "transport",
 * "samples"}'`. The pad sends an input, the screen waits for the first frame that shows it, and so on. Sends the times
 * in ms to its parent, and ends when the parent does.
 */
import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { playerCount, readInputSequence } from '../../../app/game/frame-reader.js';
import { connect } from '../../profile/clients.js';
import { encodeDatagram } from '../../../app/udp/datagram.js';

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

/** @type {Record<string, (message: any) => void>} resolvers by the type of the awaited message */
const awaited = {};
const message = (/** @type {any} */ received) => {
  if (received.t === 'error') throw new Error(received.message);
  awaited[received.t]?.(received);
};
/**
 * Sends a request and waits for the answer.
 * @param {import('ws').WebSocket} socket @param {object} request @param {string} type of the answer
 * @returns {Promise<any>}
 */
const ask = (socket, request, type) =>
  new Promise((resolve) => {
    awaited[type] = resolve;
    socket.send(JSON.stringify(request));
  });

const pad = await connect({ url, code }, { role: 'pad', name: 'Pad' }, { message });
const grant = transport === 'udp' ? await ask(pad, { t: 'udp' }, 'udp') : undefined;
const { match, slot } = await ask(pad, { t: 'start', game: 'bumper' }, 'match');
let shown = 0;
let onInputShown = () => {};
const screen = await connect({ url, code }, { role: 'screen' }, { frame, message });
await ask(screen, { t: 'watch', match }, 'watch');

/** @param {Buffer} bytes */
function frame(bytes) {
  if (bytes.readUInt16LE(2) !== match || playerCount(bytes) <= slot) return;
  shown = readInputSequence(bytes, slot);
  onInputShown();
}

const send = grant ? makeUdpSender(grant) : makeWebSocketSender();

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

/** @returns {(sequence: number) => void} */
function makeWebSocketSender() {
  const bytes = Buffer.alloc(8);
  return (sequence) => {
    bytes.writeUInt8(1, 0);
    bytes.writeInt8(sequence % 127, 1);
    bytes.writeUInt16LE(sequence & 0xffff, 6);
    pad.send(bytes);
  };
}

let sequence = 0;
/** Sends an input. @returns {Promise<number>} ms until the screen has a frame that shows it */
async function measureInput() {
  await sleep(MIN_GAP_MS + Math.random() * GAP_SPREAD_MS);
  const before = shown;
  const began = performance.now();
  send(++sequence);
  const repeat = setInterval(() => send(++sequence), REPEAT_MS);
  await new Promise((resolve) => {
    onInputShown = () => shown !== before && resolve(undefined);
  });
  const took = performance.now() - began;
  clearInterval(repeat);
  return took;
}

const times = [];
for (let i = 0; i < WARM_UPS + samples; i++) times.push(await measureInput());
process.send?.(times.slice(WARM_UPS));

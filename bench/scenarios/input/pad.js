/**
 * A pad and a screen in one process, which has one clock: `node pad.js '{"url", "code", "transport", "samples"}'`.
 * The pad sends one input, the screen waits for the first frame that shows it, and so on. Tells its
 * parent the times, ms; ends when the parent does.
 */
import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { playerCount, readInputSequence } from '../../../app/game/frame-reader.js';
import { connect } from '../../profile/clients.js';
import { encodeDatagram } from '../../../app/udp/datagram.js';

/** Between two inputs, so that they fall anywhere between two ticks of worker and hub. */
const GAP_LEAST_MS = 5;
const GAP_SPREAD_MS = 50;
/** A datagram may be lost; a pad repeats its state that often. */
const REPEAT_MS = 50;

/** @type {{url: string, code: string, transport: 'websocket' | 'udp', samples: number}} */
const { url, code, transport, samples } = JSON.parse(process.argv[2]);
process.on('disconnect', () => process.exit());

/** @type {Record<string, (message: any) => void>} by the type of a message */
const awaited = {};
const message = (/** @type {any} */ said) => {
  if (said.t === 'error') throw new Error(said.message);
  awaited[said.t]?.(said);
};
/** @param {import('ws').WebSocket} socket @param {object} asked @param {string} type @returns {Promise<any>} */
const ask = (socket, asked, type) =>
  new Promise((resolve) => {
    awaited[type] = resolve;
    socket.send(JSON.stringify(asked));
  });

const pad = await connect({ url, code }, { role: 'pad', name: 'Pad' }, { message });
const grant = transport === 'udp' ? await ask(pad, { t: 'udp' }, 'udp') : undefined;
const { match, slot } = await ask(pad, { t: 'start', game: 'bumper' }, 'match');
let shown = 0;
let look = () => {};
const screen = await connect({ url, code }, { role: 'screen' }, { frame, message });
await ask(screen, { t: 'watch', match }, 'watch');

/** @param {Buffer} bytes */
function frame(bytes) {
  if (bytes.readUInt16LE(2) !== match || playerCount(bytes) <= slot) return;
  shown = readInputSequence(bytes, slot);
  look();
}

const send = grant ? bySocket(grant) : byWebSocket();

/** @param {{port: number, pad: number, key: string}} grant @returns {(sequence: number) => void} */
function bySocket({ port, pad: number, key }) {
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
function byWebSocket() {
  const bytes = Buffer.alloc(8);
  return (sequence) => {
    bytes.writeUInt8(1, 0);
    bytes.writeInt8(sequence % 127, 1);
    bytes.writeUInt16LE(sequence & 0xffff, 6);
    pad.send(bytes);
  };
}

let sequence = 0;
/** @returns {Promise<number>} ms until an input is seen */
async function once() {
  await sleep(GAP_LEAST_MS + Math.random() * GAP_SPREAD_MS);
  const before = shown;
  const began = performance.now();
  send(++sequence);
  const repeat = setInterval(() => send(++sequence), REPEAT_MS);
  await new Promise((resolve) => {
    look = () => shown !== before && resolve(undefined);
  });
  const took = performance.now() - began;
  clearInterval(repeat);
  return took;
}

const times = [];
for (let i = 0; i < samples + 10; i++) times.push(await once());
process.send?.(times.slice(10)); // the first ones find code that was not compiled yet

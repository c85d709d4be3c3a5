/**
 * Sends or receives datagrams: `node datagrams.js receive ADDRESS` or
 * `node datagrams.js send ADDRESS PORT ROUNDS INTERVAL_MS`. A round is one datagram from each of FLOWS sockets. The
 * sender sends a round INTERVAL_MS after each message of its parent, and then datagrams that end their flows, until the
 * parent disconnects. The receiver sends its port to its parent, 'next' for the first datagram of each round, and, when
 * all flows have ended, the delay of each datagram.
 */
import { createSocket } from 'node:dgram';

const FLOWS = 64;
const BYTES = 9;
const LAST = 255;
const LAST_MS = 20;

const clock = () => Number(process.hrtime.bigint()) / 1e6; // the same for all processes
const [role, address, ...rest] = process.argv.slice(2);
const bind = (/** @type {import('node:dgram').Socket} */ socket) =>
  new Promise((resolve) =>
    socket.bind(0, role === 'receive' ? address : undefined, () => resolve(undefined)),
  );

if (role === 'receive') {
  const socket = createSocket('udp4');
  /** @type {number[]} */
  const delays = [];
  const rounds = new Set();
  const ended = new Set();
  socket.on('message', (bytes, { port }) => {
    const round = bytes[8];
    if (round === LAST) {
      if (ended.size < FLOWS && ended.add(port).size === FLOWS) process.send?.(delays);
      return;
    }
    delays.push(clock() - bytes.readDoubleLE(0));
    if (!rounds.has(round)) process.send?.('next');
    rounds.add(round);
  });
  await bind(socket);
  process.send?.(socket.address().port);
} else {
  const [port, rounds, intervalMs] = rest.map(Number);
  const sockets = Array.from({ length: FLOWS }, () => createSocket('udp4'));
  await Promise.all(sockets.map(bind));
  const send = (/** @type {number} */ round) => {
    for (const socket of sockets) {
      const bytes = Buffer.alloc(BYTES);
      bytes.writeDoubleLE(clock(), 0);
      bytes[8] = round;
      socket.send(bytes, port, address);
    }
  };
  let round = 0;
  const next = () => {
    if (round < rounds) setTimeout(send, intervalMs, round++);
    else setInterval(send, LAST_MS, LAST);
  };
  process.on('message', next);
  next();
}
process.on('disconnect', () => process.exit());

/**
 * A process that receives datagrams on a dgram socket, does with them what a TV does, and tells how many
 * when asked: `node worker.js '{"port", "reusePort", "key"}'`. Its socket is its own, or in a cluster's
 * worker the primary's.
 */
import { createSocket } from 'node:dgram';
import { OUTCOME, OUTCOMES } from '../../../app/udp/outcomes.js';
import { PadTable } from '../../../app/udp/pad-table.js';
import { seatPads } from './pads.js';

const { port, reusePort, key } = JSON.parse(process.argv[2]);
const table = new PadTable(0);
seatPads(table, Buffer.from(key, 'hex'));
const outcomes = new Array(OUTCOMES.length).fill(0);
const options = /** @type {import('node:dgram').SocketOptions} */ ({ type: 'udp4', reusePort });
const socket = createSocket(options);
socket.on('message', (bytes) => outcomes[table.take(bytes, performance.now())]++);
socket.bind(port, '127.0.0.1', () => process.send?.({ port: socket.address().port }));
process.on('message', () => {
  const all = outcomes.reduce((a, b) => a + b, 0);
  process.send?.({ accepted: outcomes[OUTCOME.accepted], all });
});
process.on('disconnect', () => process.exit(0));

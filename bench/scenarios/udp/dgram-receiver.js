/** Receives the datagrams of pads with a dgram socket on the main thread, for comparison with the addon. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { OUTCOMES } from '../../../app/udp/outcomes.js';
import { PadTable } from './pad-table.js';

/**
 * Opens a receiver.
 * @param {{port?: number, reusePort?: boolean}} [options]
 * @returns {Promise<{table: PadTable, port: number, outcomes: number[], close: () => void}>} outcomes: datagrams
 *   by OUTCOME
 */
export async function openDgramReceiver({ port = 0, reusePort } = {}) {
  const table = new PadTable();
  const outcomes = new Array(OUTCOMES.length).fill(0);
  const options = /** @type {import('node:dgram').SocketOptions} */ ({ type: 'udp4', reusePort });
  const socket = createSocket(options);
  socket.on('message', (bytes) => outcomes[table.receive(bytes)]++);
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return { table, port: socket.address().port, outcomes, close: () => socket.close() };
}

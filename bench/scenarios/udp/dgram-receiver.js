/** Receives the datagrams of pads with a dgram socket on the main thread, for comparison with the addon. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { OUTCOME } from '../../../app/udp/outcomes.js';
import { PadTable } from './pad-table.js';
import { seatPads } from './pads.js';

/**
 * Opens a receiver.
 * @param {Buffer} key of the pads
 * @returns {Promise<{port: number, received: () => number, close: () => Promise<void>}>} received: the number of
 *   datagrams accepted so far
 */
export async function openDgramReceiver(key) {
  const table = new PadTable();
  seatPads(table, key);
  let accepted = 0;
  const socket = createSocket('udp4');
  socket.on('message', (bytes) => {
    if (table.receive(bytes) === OUTCOME.accepted) accepted++;
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    received: () => accepted,
    close: async () => void socket.close(),
  };
}

/**
 * Bounds the sockets of one address, before a byte of them is read: somebody who opens hundreds and
 * says nothing must not keep the others' phones out.
 */
import { clientKey } from '../limits/client-key.js';

/**
 * @param {import('node:net').Server} server
 * @param {number} max sockets of one address at the same time
 * @param {() => void} refused told of each socket too many
 */
export function limitSockets(server, max, refused) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  server.on('connection', (socket) => {
    const address = clientKey(socket.remoteAddress ?? '');
    const count = (counts.get(address) ?? 0) + 1;
    if (count > max) {
      refused();
      socket.destroy();
      return;
    }
    counts.set(address, count);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });
}

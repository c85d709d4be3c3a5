/** A TCP proxy whose connections a test can cut, or hold, as a phone does that leaves the Wi-Fi. */
import { connect, createServer } from 'node:net';
import { listen } from './http.js';

/**
 * Starts a proxy on a free port of 127.0.0.1. It is closed after the test.
 * @param {{after: (action: () => unknown) => void}} t @param {number} port of the server on 127.0.0.1
 */
export async function startProxy(t, port) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  let isCut = false;
  let isHeld = false;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (isCut) return client.destroy();
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
      if (isHeld) socket.pause();
    }
  });
  t.after(cut);
  return {
    url: `http://127.0.0.1:${await listen(t, server)}`,
    /** Ends all connections, and refuses new ones. */
    cut,
    /** Passes nothing on any more, also of new connections, or all that has come since. @param {boolean} on */
    hold(on) {
      isHeld = on;
      for (const socket of sockets) socket[isHeld ? 'pause' : 'resume']();
    },
    /** Accepts connections again. */
    restore: () => void (isCut = false),
  };
}

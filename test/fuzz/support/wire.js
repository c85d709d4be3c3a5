/** Raw connections, and websocket frames that no client library makes. */
import { connect } from 'node:net';

/** A server that takes longer does not notice the end of the client. */
const CLOSED_MS = 30_000;

export const OPCODE = Object.freeze({ more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 });
const MASK = Buffer.from([0x12, 0x34, 0x56, 0x78]);

/**
 * Encodes a masked websocket frame: RFC 6455, section 5.2.
 * @param {Uint8Array} payload below 64 KiB
 * @param {number} opcode
 * @returns {Buffer}
 */
export function frame(payload, opcode) {
  const long = payload.length > 125;
  const head = Buffer.alloc(long ? 8 : 6);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (long ? 126 : payload.length);
  if (long) head.writeUInt16BE(payload.length, 2);
  MASK.copy(head, head.length - 4);
  return Buffer.concat([head, payload.map((byte, i) => byte ^ MASK[i & 3])]);
}

/** @param {number} port @returns {Buffer} a request for a websocket */
export const upgrade = (port) =>
  Buffer.from(
    `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );

/** A close frame. When the server answers it, it has handled all frames before. */
export const goodbye = frame(Buffer.from([0x03, 0xe8]), OPCODE.close);

/**
 * Sends bytes, ends this direction, and waits for the server to end the connection.
 * @param {number} port @param {Buffer} bytes
 * @param {{end?: boolean, localAddress?: string}} [options] end: close this direction
 * @returns {Promise<Buffer>} the answer
 */
export function exchange(port, bytes, { end = true, localAddress } = {}) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const parts = [];
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
      socket.write(bytes);
      if (end) socket.end();
    });
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the server did not end the connection within ${CLOSED_MS} ms`));
    }, CLOSED_MS);
    socket.on('data', (part) => parts.push(part));
    socket.on('error', () => {}); // reset by the server: 'close' follows
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts));
    });
  });
}

/** @param {number} number @returns {string} one of 65,536 loopback addresses */
export const strangerAddress = (number) => `127.1.${(number >> 8) & 255}.${number & 255}`;

/** Clients that use the port without a library, to send what no browser sends. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';

/** @typedef {import('../../app/tv.js').Tv} Tv */

/** Counts the open descriptors of this process. */
export const descriptors = () => readdirSync('/proc/self/fd').length;

/**
 * Opens a TCP connection to the TV. It is destroyed after the test.
 * @param {import('node:test').TestContext} t @param {Tv} tv
 * @param {{localAddress?: string}} [options] address to connect from
 */
export async function openSocket(t, tv, options) {
  const socket = connect({ host: '127.0.0.1', port: tv.port, ...options });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/**
 * Waits until a socket is closed, normally or by a reset.
 * @param {import('node:net').Socket} socket
 */
export const closed = (socket) => new Promise((resolve) => socket.once('close', resolve));

/**
 * Formats the head of a request to open a websocket.
 * @param {Tv} tv @param {string} [path] @param {Record<string, string>} [headers]
 */
export const upgradeRequest = (tv, path = '/ws', headers = {}) =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${tv.port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

/**
 * Opens a websocket without a library; the test writes every byte.
 * @param {import('node:test').TestContext} t @param {Tv} tv
 */
export async function openRawWebSocket(t, tv) {
  const socket = await openSocket(t, tv);
  socket.write(upgradeRequest(tv));
  await once(socket, 'data'); // status 101
  return socket;
}

/**
 * Formats a websocket frame whose mask is zero.
 * @param {number} opcode RFC 6455, 5.2 @param {string | Buffer} [payload] up to 125 bytes
 * @param {boolean} [final] whether the frame is the last one of its message
 */
export function frame(opcode, payload = '', final = true) {
  const bytes = Buffer.from(payload);
  const head = [(final ? 0x80 : 0) | opcode, 0x80 | bytes.length, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from(head), bytes]);
}

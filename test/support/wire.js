/** Raw connections, and requests and websocket frames byte by byte, to send what no browser sends. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';

/** A server that takes longer does not notice the end of the client. */
const CLOSED_MS = 30_000;
/** Opcodes of RFC 6455, section 5.2. */
export const OPCODE = Object.freeze({
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
});
const MASK = Buffer.from([0x12, 0x34, 0x56, 0x78]);

/** @typedef {{port: number | string}} Place a TV on 127.0.0.1 */
/** @typedef {import('node:test').TestContext} TestContext */

/** Counts the open descriptors of this process. */
export const descriptors = () => readdirSync('/proc/self/fd').length;

/** @param {Place} tv @returns {string} the line of the Host header */
export const hostLine = ({ port }) => `Host: 127.0.0.1:${port}\r\n`;

/**
 * Makes a request of HTTP/1.1.
 * @param {Place} tv @param {string} path
 * @param {{method?: string, headers?: string, body?: string, close?: boolean}} [options] headers: whole lines
 */
export function request(tv, path, { method = 'GET', headers = '', body = '', close = true } = {}) {
  const last = close ? 'Connection: close\r\n' : '';
  const length = body ? `Content-Length: ${Buffer.byteLength(body)}\r\n` : '';
  return `${method} ${path} HTTP/1.1\r\n${hostLine(tv)}${headers}${length}${last}\r\n${body}`;
}

export const JSON_TYPE = 'Content-Type: application/json\r\n';

/** Makes a POST of JSON. @param {Place} tv @param {string} path @param {string} body @param {string} [headers] lines */
export const postJson = (tv, path, body, headers = '') =>
  request(tv, path, { method: 'POST', headers: headers + JSON_TYPE, body });

/**
 * Makes a request for a websocket.
 * @param {Place} tv @param {{path?: string, headers?: string}} [options] headers: whole lines
 */
export const upgradeRequest = (tv, { path = '/ws', headers = '' } = {}) =>
  `GET ${path} HTTP/1.1\r\n${hostLine(tv)}Connection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${headers}\r\n`;

/**
 * Makes a websocket frame (RFC 6455, section 5.2).
 * @param {number} opcode @param {string | Uint8Array} [payload]
 * @param {{fin?: boolean, masked?: boolean, reserved?: number}} [options] reserved: the bits RSV1 (4), RSV2, RSV3 (1)
 */
export function frame(opcode, payload = '', { fin = true, masked = true, reserved = 0 } = {}) {
  const bytes = Buffer.from(payload);
  const { length } = bytes;
  let size = [length];
  if (length >= 65_536) size = [127, 0, 0, 0, 0, length >> 24, length >> 16, length >> 8, length];
  else if (length >= 126) size = [126, length >> 8, length];
  if (masked) size[0] |= 0x80;
  const head = Buffer.from([(fin ? 0x80 : 0) | (reserved << 4) | opcode, ...size]);
  if (!masked) return Buffer.concat([head, bytes]);
  return Buffer.concat([head, MASK, bytes.map((byte, i) => byte ^ MASK[i & 3])]);
}

/** @param {object} message @returns {Buffer} a text frame */
export const textFrame = (message) => frame(OPCODE.text, JSON.stringify(message));

/** A close frame. When the server answers it, it has handled all frames before. */
export const goodbye = frame(OPCODE.close, Buffer.from([0x03, 0xe8]));

/**
 * Opens a TCP connection to the TV. It is destroyed after the test.
 * @param {TestContext} t @param {Place} tv @param {{localAddress?: string}} [options] address to connect from
 */
export async function openSocket(t, tv, options) {
  const socket = connect({ host: '127.0.0.1', port: Number(tv.port), ...options });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Waits until a socket is closed, normally or by a reset. @param {import('node:net').Socket} socket */
export const closed = (socket) => new Promise((resolve) => socket.once('close', resolve));

/** Opens a websocket without a library; the test writes every byte. @param {TestContext} t @param {Place} tv */
export async function openRawWebSocket(t, tv) {
  const socket = await openSocket(t, tv);
  socket.write(upgradeRequest(tv));
  await once(socket, 'data'); // status 101
  return socket;
}

/**
 * Sends bytes, ends this direction, and waits for the server to end the connection.
 * @param {number} port @param {Buffer} bytes
 * @param {{end?: boolean, localAddress?: string}} [options] end: close this direction
 * @returns {Promise<Buffer>} the answer
 */
export async function exchange(port, bytes, { end = true, localAddress } = {}) {
  /** @type {Buffer[]} */
  const parts = [];
  const signal = AbortSignal.timeout(CLOSED_MS);
  const socket = connect({ port, host: '127.0.0.1', localAddress, signal });
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => {}); // reset by the server: 'close' follows
  socket.write(bytes);
  if (end) socket.end();
  await closed(socket);
  if (signal.aborted) throw new Error(`the server did not end the connection in ${CLOSED_MS} ms`);
  return Buffer.concat(parts);
}

/** @param {number} number @returns {string} one of 65,536 loopback addresses */
export const strangerAddress = (number) => `127.1.${(number >> 8) & 255}.${number & 255}`;

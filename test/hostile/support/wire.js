/** Requests and websocket frames, byte by byte, so that they can be wrong. */

/** Opcodes of RFC 6455 section 5.2. */
export const OPCODE = Object.freeze({
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
});

/** @typedef {{host: string, port: number}} Place */

/** @param {Place} tv @returns {string} the Host header's line */
export const hostLine = ({ host, port }) => `Host: ${host}:${port}\r\n`;

/**
 * Makes a request of HTTP/1.1.
 * @param {Place} tv @param {string} path
 * @param {{method?: string, headers?: string, body?: string, close?: boolean}} [options]
 *   headers: whole lines
 */
export function request(tv, path, { method = 'GET', headers = '', body = '', close = true } = {}) {
  const last = close ? 'Connection: close\r\n' : '';
  const length = body ? `Content-Length: ${Buffer.byteLength(body)}\r\n` : '';
  return `${method} ${path} HTTP/1.1\r\n${hostLine(tv)}${headers}${length}${last}\r\n${body}`;
}

/** @param {Place} tv @param {string} [headers] more lines @param {string} [path] */
export const upgradeRequest = (tv, headers = '', path = '/ws') =>
  `GET ${path} HTTP/1.1\r\n${hostLine(tv)}Connection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${headers}\r\n`;

/**
 * Makes a websocket frame.
 * @param {number} opcode
 * @param {string | Buffer} [payload]
 * @param {{fin?: boolean, masked?: boolean, reserved?: number, length?: number}} [options]
 *   reserved: the bits RSV1 (4), RSV2 (2), RSV3 (1); length: the length to claim
 */
export function frame(opcode, payload = '', options = {}) {
  const bytes = Buffer.from(payload);
  const { fin = true, masked = true, reserved = 0, length = bytes.length } = options;
  const first = (fin ? 0x80 : 0) | (reserved << 4) | opcode;
  const maskBit = masked ? 0x80 : 0;
  let head;
  if (length < 126) head = Buffer.from([first, maskBit | length]);
  else if (length < 65_536) {
    head = Buffer.from([first, maskBit | 126, length >> 8, length & 255]);
  } else {
    head = Buffer.alloc(10);
    head.set([first, maskBit | 127]);
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  const mask = Buffer.alloc(masked ? 4 : 0); // a mask of zeros leaves the payload as it is
  return Buffer.concat([head, mask, bytes]);
}

/** @param {object} message @returns {Buffer} a text frame */
export const textFrame = (message) => frame(OPCODE.text, JSON.stringify(message));

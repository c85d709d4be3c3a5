/** Requests whose length can be read in two ways, with a second request inside. */
import { hostLine } from '../support/wire.js';

const LENGTHS = [
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

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'request smuggling',
  bounds: { seconds: 3, bytes: 10_000_000 },
  async run({ tv, crowd, ask, repeat, signal }) {
    const hidden = `GET /healthz HTTP/1.1\r\n${hostLine(tv)}X-Hidden: 1\r\n\r\n`;
    const chunks = [
      '0\r\n\r\n',
      'ffffffffffffffffff\r\n',
      '-1\r\n',
      '4;a=b\r\nbody\r\n0\r\nX: y\r\n\r\n',
    ];
    await crowd(8, (i) =>
      repeat(async (turn) => {
        const length = LENGTHS[(i + turn) % LENGTHS.length];
        const head = `POST /api/matches HTTP/1.1\r\n${hostLine(tv)}Connection: close\r\n${length}\r\n`;
        const answer = await ask(head + chunks[turn % chunks.length] + hidden);
        if (!signal.aborted && answer.includes('"uptimeS"')) {
          throw new Error(`${JSON.stringify(length)}: the hidden request was answered`);
        }
      }),
    );
  },
};

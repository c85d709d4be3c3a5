/** Thousands of headers, one huge header, one huge path, endless header lines. */
import { hostLine } from '../support/wire.js';

const BIG = 65_536;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'header bombs',
  bounds: { seconds: 3, bytes: 40_000_000 },
  async run({ tv, crowd, ask, open, flood, repeat }) {
    const start = `GET / HTTP/1.1\r\n${hostLine(tv)}`;
    const bombs = [
      `${start}${Array.from({ length: 5000 }, (_, i) => `A${i}: b\r\n`).join('')}\r\n`,
      `${start}Cookie: ${'a=b; '.repeat(BIG / 5)}\r\n\r\n`,
      `${start}${'N'.repeat(BIG)}: 1\r\n\r\n`,
      `GET /${'x'.repeat(BIG)} HTTP/1.1\r\n${hostLine(tv)}\r\n`,
      `GET /?${'a=1&'.repeat(BIG / 4)} HTTP/1.1\r\n${hostLine(tv)}\r\n`,
      `${start}Authorization: Bearer ${'x'.repeat(12_000)}\r\n\r\n`,
      `${start}Accept-Encoding: ${'gzip;q=0.1,'.repeat(1000)}\r\n\r\n`,
      `${start}If-None-Match: ${'"x",'.repeat(3000)}\r\n\r\n`,
    ];
    await crowd(8, (i) =>
      repeat(async () => {
        if (i > 0) return ask(bombs[i % bombs.length]);
        const socket = await open();
        socket.write(start);
        return flood(socket, `X: ${'y'.repeat(1000)}\r\n`.repeat(100));
      }),
    );
  },
};

/** Small compressed bodies that become 100 MB. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { request } from '../support/wire.js';

const BYTES = 20_000_000;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'compressed bodies that burst',
  bounds: { seconds: 3, bytes: 40_000_000 },
  async run({ tv, crowd, ask, repeat, signal }) {
    const zeros = Buffer.alloc(BYTES, ' ');
    /** @type {[string, Buffer][]} */
    const bodies = [
      ['gzip', gzipSync(zeros)],
      ['deflate', deflateSync(zeros)],
      ['br', brotliCompressSync(zeros.subarray(0, BYTES / 10))],
      ['gzip, gzip', gzipSync(gzipSync(zeros))],
    ];
    const paths = ['/api/matches', '/api/admin/login'];
    await crowd(8, (i) =>
      repeat(async () => {
        const [encoding, bytes] = bodies[i % bodies.length];
        const body = bytes.toString('latin1');
        const headers =
          `Content-Type: application/json\r\nContent-Encoding: ${encoding}\r\n` +
          `Content-Length: ${bytes.length}\r\n`;
        const head = request(tv, paths[i % paths.length], { method: 'POST', headers });
        const answer = await ask(head + body);
        if (!signal.aborted && answer && !/^HTTP\/1.1 4\d\d/.test(answer)) {
          throw new Error(`${encoding}: ${answer.slice(0, 100)}`);
        }
      }),
    );
  },
};

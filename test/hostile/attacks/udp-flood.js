/** Datagrams of every size and of random bytes to the port of the native pads. */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { MAGIC, VERSION } from '../../../app/udp/datagram.js';

const BURST = 100;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'flood of datagrams',
  bounds: { seconds: 4, bytes: 60_000_000 },
  async run({ tv, address, client, repeat, spend }) {
    const pad = await client({ t: 'hello', role: 'pad', code: tv.code, name: 'Udo' });
    pad.send({ t: 'udp' });
    const { port } = await pad.next('udp');
    const socket = createSocket('udp4');
    await new Promise((resolve) => socket.bind(0, address, () => resolve(undefined)));
    const right = randomBytes(32);
    right.set([MAGIC, VERSION]);
    const junk = [
      right,
      randomBytes(32),
      randomBytes(31),
      randomBytes(1400),
      Buffer.alloc(0),
      randomBytes(9000),
    ];
    await repeat(async (turn) => {
      const bytes = junk[turn % junk.length];
      await Promise.all(
        Array.from(
          { length: BURST },
          () => new Promise((resolve) => socket.send(bytes, port, tv.host, resolve)),
        ),
      );
      spend(BURST * (bytes.length + 28)); // IP and UDP headers
    });
    socket.close();
  },
};

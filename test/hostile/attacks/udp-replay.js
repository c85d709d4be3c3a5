/** Datagrams that were sent before, that others signed, and that name other players' pads and places. */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { encodeDatagram } from '../../../app/udp/datagram.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'replayed and forged datagrams',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, address, client, pause, repeat, spend, signal }) {
    const base = `http://${tv.host}:${tv.port}`;
    const { matches } = await (await fetch(`${base}/api/matches`)).json();
    const pad = await client({ t: 'hello', role: 'pad', code: tv.code, name: 'Udo' });
    pad.send({ t: 'udp' });
    const grant = await pad.next('udp');
    pad.send({ t: 'join', match: matches[0].id });
    const { match, slot } = await pad.next('match');
    const key = Buffer.from(grant.key, 'hex');
    const socket = createSocket('udp4');
    await new Promise((resolve) => socket.bind(0, address, () => resolve(undefined)));
    const make = (/** @type {object} */ fields, by = key) =>
      encodeDatagram(
        {
          match,
          slot,
          pad: grant.pad,
          sequence: 1,
          x: 9,
          y: 9,
          buttons: 0,
          pressesA: 0,
          pressesB: 0,
          ...fields,
        },
        by,
      );
    const send = (/** @type {Buffer} */ bytes) =>
      new Promise((resolve) => socket.send(bytes, grant.port, tv.host, resolve));
    const accepted = async () => {
      const text = await (await fetch(`${base}/metrics`)).text();
      return Number(/outcome="accepted"} (\d+)/.exec(text)?.[1]);
    };
    const before = await accepted();
    await send(make({ sequence: 10 }));
    while ((await accepted()) === before && !signal.aborted) await pause(10);
    const forged = [
      make({ sequence: 10 }),
      make({ sequence: 9 }),
      make({ sequence: 0 }),
      make({ sequence: 100, slot: (slot + 1) % 4 }),
      make({ sequence: 101, match: (match % 65_535) + 1 }),
      make({ sequence: 102 }, randomBytes(16)),
      ...[0, 1, 2, 3].map((n) =>
        make({ sequence: 200, slot: n, pad: (grant.pad ^ (n + 1)) >>> 0 }),
      ),
    ];
    await repeat(async () => {
      for (const bytes of forged) {
        await send(bytes);
        spend(bytes.length + 28); // IP and UDP headers
      }
      await pause(1);
    });
    const taken = (await accepted()) - before;
    if (taken > 1) throw new Error(`${taken - 1} forged datagrams were accepted`);
  },
};

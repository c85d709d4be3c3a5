/** A phone that asks for key after key, so that there is none left for others. */

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'keys of native pads without end',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, crowd, client, pause, repeat }) {
    await crowd(4, async () => {
      const pad = await client({ t: 'hello', role: 'pad', code: tv.code, name: 'Keys' });
      await repeat(async () => {
        pad.send({ t: 'udp' });
        pad.messages.length = 0;
        await pause(100);
      });
    });
  },
};

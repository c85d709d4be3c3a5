/** More connections than an address may have, none of which says anything; refused ones are tried again. */

const SOCKETS = 200;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'half-open connections that say nothing',
  bounds: { seconds: 4, bytes: 1_000_000 },
  async run({ crowd, open, pause, signal }) {
    await crowd(SOCKETS, async () => {
      while (!signal.aborted) {
        const socket = await open();
        while (!socket.destroyed && !signal.aborted) await pause(50);
      }
    });
  },
};

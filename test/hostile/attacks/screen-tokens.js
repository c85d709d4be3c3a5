/** A hundred anonymous screens, so that the TV forgets the token of a real one. */

const SCREENS = 100;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: "screens that push out others' tokens",
  bounds: { seconds: 4, bytes: 20_000_000 },
  async run({ addresses, client, signal }) {
    const real = await client({ t: 'hello', role: 'screen' }, { address: addresses[1] });
    const { token } = await real.next('welcome');
    for (let i = 0; i < SCREENS && !signal.aborted; i++) {
      const screen = await client({ t: 'hello', role: 'screen' });
      await screen.next('welcome');
      screen.vanish();
    }
    real.vanish();
    const again = await client({ t: 'hello', role: 'screen', token }, { address: addresses[1] });
    const welcome = await again.next('welcome');
    if (welcome.token !== token) throw new Error('the real screen is a stranger now');
  },
};

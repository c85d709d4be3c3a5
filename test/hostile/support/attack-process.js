/**
 * Runs one attack: `node attack-process.js JSON`. Reports over IPC when the attack starts and ends, then keeps its
 * connections open until the process is killed. support/attack-child.js starts it.
 */
import { getPriority, setPriority } from 'node:os';
import { createAttacker, loadAttacks } from './attacker.js';

/** A real attacker has another computer. Here it shares the TV's, so the TV gets the higher priority. */
const NICENESS = 10;
/** The time for outstanding answers after the end of an attack, ms. */
const OVERTIME_MS = 300;
/** The process exits after this time even if its parent does not end it, ms. */
const LIFE_MS = 180_000;

const { key, tv, addresses, seconds } = JSON.parse(process.argv[2]);
setPriority(getPriority() + NICENESS);
process.on('disconnect', () => process.exit());
setTimeout(() => process.exit(), LIFE_MS);
const { [key]: attack } = await loadAttacks();
const bounds = { ...attack.bounds, seconds: Math.min(attack.bounds.seconds, seconds) };
const attacker = createAttacker({ tv, addresses, bounds });
const overtime = new Promise((resolve) => {
  attacker.signal.addEventListener('abort', () => setTimeout(resolve, OVERTIME_MS));
});
process.send?.('started');
const saw = await Promise.race([attack.run(attacker), overtime]).then(
  () => '',
  (error) => String(error?.stack ?? error),
);
process.send?.(saw);

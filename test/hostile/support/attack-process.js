/**
 * Runs one attack in a process of its own: `node attack-process.js FILE JSON`. It tells when it starts and when the
 * attack is over, then waits to be ended, so that its connections stay as they are. support/attack-child.js starts it.
 */
import { getPriority, setPriority } from 'node:os';
import { createAttacker } from './attacker.js';

/** An attacker has a computer of its own. Here it has to share the TV's, so the TV goes first. */
const NICENESS = 10;
/** After the time of an attack, whoever still waits for an answer waits this long for it, ms. */
const OVERTIME_MS = 300;
/** It ends by itself then, ms, whatever becomes of the process that started it. */
const LIFE_MS = 180_000;

const [file, json] = process.argv.slice(2);
setPriority(getPriority() + NICENESS);
process.on('disconnect', () => process.exit());
setTimeout(() => process.exit(), LIFE_MS);
/** @type {{default: import('./attacker.js').Attack}} */
const { default: attack } = await import(file);
const { tv, addresses, seconds } = JSON.parse(json);
const bounds = { ...attack.bounds, seconds: Math.min(attack.bounds.seconds, seconds) };
const attacker = createAttacker({ tv, addresses, bounds });
const overtime = new Promise((resolve) => {
  attacker.signal.addEventListener('abort', () => setTimeout(resolve, OVERTIME_MS));
});
process.send?.({ started: true });
const saw = await Promise.race([attack.run(attacker), overtime]).then(
  () => '',
  (error) => String(error?.stack ?? error),
);
process.send?.({ saw });

/**
 * Runs one attack in a process of its own: `node attack-process.js FILE JSON`. The exit ends every connection;
 * it is 0 when the attack saw nothing that the TV must not do.
 */
import { getPriority, setPriority } from 'node:os';
import { createAttacker } from './attacker.js';

/** An attacker has a computer of its own. Here it has to share the TV's, so the TV goes first. */
const NICENESS = 10;
const OVERTIME_MS = 300;

const [file, json] = process.argv.slice(2);
setPriority(getPriority() + NICENESS);
/** @type {{default: import('./attacker.js').Attack}} */
const { default: attack } = await import(file);
const { tv, addresses, seconds } = JSON.parse(json);
const bounds = { ...attack.bounds, seconds: Math.min(attack.bounds.seconds, seconds) };
const attacker = createAttacker({ tv, addresses, bounds });
process.send?.('started');
/** Resolves a little after the attack's end: whoever still waits for an answer then gets none. */
const overtime = new Promise((resolve) => {
  attacker.signal.addEventListener('abort', () => setTimeout(resolve, OVERTIME_MS));
});
try {
  await Promise.race([attack.run(attacker), overtime]);
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}

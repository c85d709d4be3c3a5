/**
 * Runs one attack in a process of its own (`node attack-process.js JSON`). The process reports over IPC when the attack
 * starts and ends, then keeps its connections open until it is killed.
 */
import { getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Child } from '../../../bench/harness/child.js';
import { createAttacker, loadAttacks, runAttack } from './attacker.js';

const PROGRAM = fileURLToPath(import.meta.url);
/** An attack that exceeds its own bound is killed after this time, ms. */
const GRACE_MS = 10_000;
/** A real attacker has another computer. Here it shares the TV's, so the TV gets the higher priority. */
const NICENESS = 10;
/** The time for outstanding answers after the end of an attack, ms. */
const OVERTIME_MS = 300;

/** @typedef {{key: string, tv: import('./attacker.js').Target, addresses: string[], seconds: number}} Request */

/** Starts an attack. @param {Request} request @returns what resolves when the attack has started */
export async function startAttack(request) {
  const child = new Child(PROGRAM, request);
  await child.next();
  let going = true;
  const kill = setTimeout(() => child.process.kill('SIGKILL'), request.seconds * 1000 + GRACE_MS);
  /** @type {Promise<string>} what the attack found wrong; empty when it found nothing */
  const over = child
    .next()
    .catch(String)
    .finally(() => {
      clearTimeout(kill);
      going = false;
    });
  return {
    over,
    going: () => going,
    /** Ends the process and with it its connections. */
    async end() {
      child.process.kill('SIGKILL');
      await child.stop();
    },
  };
}

/** Runs an attack in this process. @param {Request} request */
async function attack({ key, tv, addresses, seconds }) {
  setPriority(getPriority() + NICENESS);
  process.on('disconnect', () => process.exit());
  const { [key]: loaded } = await loadAttacks();
  const attacker = createAttacker({ tv, addresses, bounds: { ...loaded.bounds, seconds } });
  const overtime = new Promise((resolve) => {
    attacker.signal.addEventListener('abort', () => setTimeout(resolve, OVERTIME_MS));
  });
  process.send?.('started');
  const saw = await Promise.race([runAttack(attacker, loaded), overtime]).then(
    () => '',
    (error) => String(error?.stack ?? error),
  );
  process.send?.(saw);
}

if (process.argv[1] === PROGRAM) await attack(JSON.parse(process.argv[2]));

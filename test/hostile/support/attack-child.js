/** Starts and ends the process of an attack. */
import { fileURLToPath } from 'node:url';
import { Child } from '../../../bench/harness/child.js';

const PROCESS = fileURLToPath(new URL('attack-process.js', import.meta.url));
/** An attack that exceeds its own bound is killed after this time, ms. */
const GRACE_MS = 10_000;

/**
 * Starts an attack.
 * @param {{key: string, tv: import('./attacker.js').Target, addresses: string[], seconds: number}} request
 * @returns what resolves when the attack has started
 */
export async function startAttack(request) {
  const child = new Child(PROCESS, request);
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

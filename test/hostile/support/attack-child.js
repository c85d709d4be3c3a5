/** Starts and ends the process of an attack. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('attack-process.js', import.meta.url));
/** An attack that exceeds its own bound is killed after this time, ms. */
const GRACE_MS = 10_000;

/**
 * Starts an attack.
 * @param {string} key of the attack
 * @param {{tv: import('./attacker.js').Target, addresses: string[], seconds: number}} target
 * @returns what resolves when the attack has started
 */
export async function startAttack(key, target) {
  const child = spawn(process.execPath, [PROCESS, key, JSON.stringify(target)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => (output += text));
  }
  const exited = once(child, 'exit');
  await Promise.race([once(child, 'message'), exited]);
  let going = true;
  const kill = setTimeout(() => child.kill('SIGKILL'), target.seconds * 1000 + GRACE_MS);
  /** @type {Promise<string>} what the attack found wrong; empty when it found nothing */
  const over = Promise.race([
    once(child, 'message').then(([{ saw }]) => saw),
    exited.then(() => `the attack did not end as it should: ${output.trim()}`),
  ]).finally(() => {
    clearTimeout(kill);
    going = false;
  });
  return {
    over,
    going: () => going,
    /** Ends the process and with it its connections. */
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/**
 * Runs a controller with short passes: `node controller.js STATE_DIR`. Prints its log as lines of JSON. Ends at
 * SIGTERM.
 */
import { KsmController } from '../../ksm/controller.js';

const controller = new KsmController({
  stateDir: process.argv[2],
  tickMs: 50,
  // If the first burst merges too little because the workers are still loading, the next one starts soon.
  policy: { burstPassMs: 200, holdMs: 500, maxHoldMs: 500 },
  log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
});
process.once('SIGTERM', () => controller.stop());
controller.start();

/** How many matches run at 60 Hz, with 1, 2 or 3 nodes that each have the same part of the CPU. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { CpuLimit, missingForCpuLimit } from '../../harness/cpu-limit.js';
import { PitvError } from '../../../app/errors.js';
import { LocalFleet } from '../../harness/local-fleet.js';
import { startMatch } from '../../harness/remote-tv.js';

export const MAX_NODES = 3;
/** Left for the servers, the clients and the harness. */
const OTHERS_CORES = 0.5;
const TICK_HZ = 60;
/** A match is slow below this part of its ticks. */
const ENOUGH = 0.95;
/** For each node. */
const MAX_MATCHES = 48;
const SETTLE_MS = 1000;
const WARM_UP_MS = 120_000;
/** In the log of a TV whose zygote is no draft. */
const WARM = /"draft":false.*"zygote ready"/;
const MAX_TRIES = 3;
const BODIES = 2000;

/** What each node gets: a core, or less where three would take more than there are. */
export const coresPerNode = () => Math.min(1, (availableParallelism() - OTHERS_CORES) / MAX_NODES);

/**
 * Starts matches, as many as there are nodes at a time, until one of them is slow.
 * @param {number} nodes @param {number} measureMs
 * @returns {Promise<{metrics: Record<string, number>}>}
 */
export async function measureCapacity(nodes, measureMs) {
  const missing = await missingForCpuLimit();
  if (missing) throw new PitvError('PITV_BENCH_UNSUPPORTED', missing);
  const limits = Array.from({ length: nodes }, () => new CpuLimit(coresPerNode()));
  const fleet = new LocalFleet({
    count: nodes,
    flags: ['--max-matches', String(MAX_MATCHES)],
    wrap: (i) => limits[i].enter,
  });
  try {
    await fleet.start();
    await warmedUp(fleet);
    for (let count = 0; count < nodes * MAX_MATCHES; count += nodes) {
      // A fleet runs a match on the node with most room.
      const tv = { url: fleet.nodes[0].url, token: fleet.adminToken(0) };
      for (let i = 0; i < nodes; i++) await startMatch(tv, 'collide', { bodies: BODIES });
      await sleep(SETTLE_MS);
      // The compiler or another program may have disturbed a measurement.
      let rate = 0;
      for (let tries = 0; tries < MAX_TRIES && rate < ENOUGH * TICK_HZ; tries++) {
        rate = await slowestRate(fleet, measureMs);
      }
      if (rate < ENOUGH * TICK_HZ) return { metrics: { matches: count } };
    }
    throw new Error(`more than ${nodes * MAX_MATCHES} matches run at ${TICK_HZ} Hz`);
  } finally {
    await fleet.stop();
    for (const limit of limits) await limit.close();
  }
}

/** Waits until the zygotes have warmed up, which takes from the CPU time of matches. @param {LocalFleet} fleet */
async function warmedUp(fleet) {
  const end = performance.now() + WARM_UP_MS;
  while (!fleet.logs.every((log) => WARM.test(log))) {
    if (performance.now() > end) throw new Error(`a zygote does not warm up\n${fleet.logs[0]}`);
    await sleep(SETTLE_MS);
  }
}

/** Measures the ticks a second of the slowest match. @param {LocalFleet} fleet @param {number} measureMs */
async function slowestRate(fleet, measureMs) {
  const before = await ticksOf(fleet);
  await sleep(measureMs);
  const after = await ticksOf(fleet);
  const seconds = (after.at - before.at) / 1000;
  return Math.min(
    ...[...after.ticks].map(([id, ticks]) => (ticks - (before.ticks.get(id) ?? 0)) / seconds),
  );
}

/** Reads the ticks of all matches. @param {LocalFleet} fleet */
async function ticksOf(fleet) {
  /** @type {Map<number, number>} */
  const ticks = new Map();
  const at = performance.now();
  for (const { url } of fleet.nodes) {
    const { matches } = await (await fetch(`${url}/api/matches`)).json();
    // Only the node that runs a match knows its ticks.
    for (const match of matches)
      ticks.set(match.id, Math.max(match.ticks, ticks.get(match.id) ?? 0));
  }
  return { at, ticks };
}

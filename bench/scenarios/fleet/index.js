/**
 * Measures a fleet of three TVs on this machine, each with a nats-server of its own: what a player notices when the
 * match runs on another node, and what the servers need. All processes share the cores of this machine; on three boards
 * each has its own. `make fleet-failures` measures how long a match stands still when its node dies.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PitvError } from '../../../app/errors.js';
import { memoryOfSync } from '../../../app/process/memory-account.js';
import { LocalFleet, missingForFleet } from '../../harness/local-fleet.js';
import { Client } from '../../harness/client.js';
import { cpuMs, writtenBytes } from '../../machine/proc.js';

const LATENCY = 'latency';
const SERVERS = 'servers';
const NODES = 3;
const MATCH_COUNTS = [0, 4];
/** Servers write seldom. */
const WRITING_FACTOR = 3;
const HOUR_MS = 3_600_000;
const GIVE_UP_MS = 30_000;
const PERCENT = 100;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'fleet',
  title: 'Three TVs with three nats-servers on one machine',
  timeoutMs: 300_000,
  metrics: [
    { name: 'latency_p50', unit: 'ms' },
    { name: 'latency_p99', unit: 'ms' },
    { name: 'owner_cpu', unit: '% of a core' },
    { name: 'other_cpu', unit: '% of a core' },
    { name: 'servers_cpu', unit: '% of a core' },
    { name: 'server_pss', unit: 'KiB' },
    { name: 'server_unreclaimable', unit: 'KiB' },
    { name: 'server_writes', unit: 'MB/h' },
  ],

  configurations: () => [
    { variant: 'local', level: LATENCY },
    { variant: 'remote', level: LATENCY },
    ...MATCH_COUNTS.map((n) => ({ variant: 'matches', level: SERVERS, n })),
  ],

  // settle: until the countdown is over
  phases: { settle: [5000, 5000], measure: [10_000, 4000] },

  async sample({ variant, level, n }, { phases, after }) {
    if (missingForFleet) throw new PitvError('PITV_BENCH_UNSUPPORTED', missingForFleet);
    const fleet = new LocalFleet({ count: NODES });
    after(() => fleet.stop());
    await fleet.start();
    if (level === LATENCY) return measureLatency(fleet, variant === 'remote', phases);
    return measureServers(fleet, Number(n), phases);
  },

  notes: () => [
    'fleet: latency is the time from a message of a pad until a frame that shows it is sent to a screen, both at the node of the pad. CPU times are those of main processes, without workers; what a remote match costs is the difference of remote and local. Of the three servers, server_... is that of the largest one; n is the number of matches.',
  ],
};

/** Starts a match from a node. @param {LocalFleet} fleet @param {number} [at] */
async function startMatch(fleet, at = 0) {
  const screen = await Client.screen(fleet.nodes[at]);
  const { code } = await screen.wait('lobby');
  screen.send({ t: 'start', game: 'bumper' });
  const { match: id } = await screen.wait('watch', (message) => message.match !== null);
  await screen.nextFrame(performance.now(), GIVE_UP_MS);
  return { code, id, owner: await fleet.ownerOf(id, at) };
}

/**
 * Measures the CPU time of the main processes and of the servers of a fleet during an action.
 * @param {LocalFleet} fleet @param {number} owner @param {() => Promise<unknown>} action
 */
async function cpuDuring(fleet, owner, action) {
  const read = () => ({
    tvs: fleet.nodes.map(({ tv }) => cpuMs([Number(tv.pid)])),
    servers: cpuMs(fleet.servers.map(({ pid }) => Number(pid))),
  });
  const before = read();
  const began = performance.now();
  await action();
  const after = read();
  const percent = (/** @type {number} */ ms) => (ms / (performance.now() - began)) * PERCENT;
  const used = after.tvs.map((ms, i) => ms - before.tvs[i]);
  const others = used.filter((_ms, i) => i !== owner);
  return {
    owner_cpu: percent(used[owner]),
    other_cpu: percent(Math.max(...others)),
    servers_cpu: percent(after.servers - before.servers),
  };
}

/** @param {LocalFleet} fleet @param {boolean} isRemote @param {Record<string, number>} phases */
async function measureLatency(fleet, isRemote, phases) {
  const { code, id, owner } = await startMatch(fleet);
  const at = isRemote ? (owner + 1) % NODES : owner;
  const node = fleet.nodes[at];
  const screen = await Client.screen(node);
  const pad = await Client.pad(node, { code, name: 'Ann' });
  await pad.wait('lobby', ({ matches }) => matches.length > 0);
  pad.send({ t: 'join', match: id });
  await pad.wait('match');
  screen.send({ t: 'watch', match: id });
  const inputs = pad.push(0);
  try {
    await sleep(phases.settle);
    const headers = { authorization: `Bearer ${fleet.adminToken(at)}` };
    const measurements = new URL('/api/measurements', node.url);
    await fetch(measurements, { method: 'DELETE', headers });
    const cpu = await cpuDuring(fleet, owner, () => sleep(phases.measure));
    const { latency } = await (await fetch(measurements, { headers })).json();
    if (latency.count === 0) throw new Error('no input was shown by any frame');
    return { metrics: { latency_p50: latency.p50, latency_p99: latency.p99, ...cpu } };
  } finally {
    clearInterval(inputs);
  }
}

/** @param {LocalFleet} fleet @param {number} matches @param {Record<string, number>} phases */
async function measureServers(fleet, matches, phases) {
  for (let i = 0; i < matches; i++) await startMatch(fleet, i % NODES);
  await sleep(phases.settle);
  const pids = fleet.servers.map(({ pid }) => Number(pid));
  const before = pids.map(writtenBytes);
  const began = performance.now();
  await sleep(phases.measure * WRITING_FACTOR);
  const hours = (performance.now() - began) / HOUR_MS;
  const memories = pids.map((pid) => memoryOfSync([pid]));
  const written = pids.map((pid, i) => writtenBytes(pid) - before[i]);
  return {
    metrics: {
      server_pss: Math.max(...memories.map(({ pssKib }) => pssKib)),
      server_unreclaimable: Math.max(...memories.map(({ unreclaimableKib }) => unreclaimableKib)),
      server_writes: Math.max(...written) / 1e6 / hours,
    },
  };
}

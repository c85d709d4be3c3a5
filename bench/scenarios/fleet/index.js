/**
 * Measures a fleet of three TVs on this machine, each with a nats-server of its own: what a player notices when the
 * match runs on another node, and how long a match stands still when its node dies or is drained. All processes share
 * the cores of this machine; on three boards each has its own.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PitvError } from '../../../app/errors.js';
import { memoryOfSync } from '../../../app/process/memory-account.js';
import { LocalFleet, missingForFleet } from '../../harness/local-fleet.js';
import { Client } from '../../harness/client.js';
import { cpuMs, writtenBytes } from '../../machine/proc.js';

const LATENCY = 'latency';
const FAILOVER = 'failover';
const SERVERS = 'servers';
const NODES = 3;
const MATCH_COUNTS = [0, 4];
/** Servers write seldom. */
const WRITING_FACTOR = 3;
const HOUR_MS = 3_600_000;
const GIVE_UP_MS = 30_000;
const POLL_MS = 100;
const PERCENT = 100;

/** How a node fails. */
const FAILURES = Object.freeze({
  'the TV is killed': (/** @type {LocalFleet} */ fleet, /** @type {number} */ i) => fleet.kill(i),
  'TV and server are killed': (/** @type {LocalFleet} */ fleet, /** @type {number} */ i) =>
    fleet.kill(i, { server: true }),
  'the TV is drained': (/** @type {LocalFleet} */ fleet, /** @type {number} */ i) =>
    fleet.nodes[i].tv.kill('SIGTERM'),
});

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'fleet',
  title: 'Three TVs with three nats-servers on one machine',
  measures: ['app/fleet', 'app/match', 'app/server'],
  timeoutMs: 300_000,
  metrics: [
    { name: 'latency_p50', unit: 'ms' },
    { name: 'latency_p99', unit: 'ms' },
    { name: 'owner_cpu', unit: '% of a core' },
    { name: 'other_cpu', unit: '% of a core' },
    { name: 'servers_cpu', unit: '% of a core' },
    { name: 'still', unit: 'ms' },
    { name: 'phone', unit: 'ms' },
    { name: 'detection', unit: 'ms' },
    { name: 'takeover', unit: 'ms' },
    { name: 'server_pss', unit: 'KiB' },
    { name: 'server_unreclaimable', unit: 'KiB' },
    { name: 'server_writes', unit: 'MB/h' },
  ],

  configurations: () => [
    { variant: 'local', level: LATENCY },
    { variant: 'remote', level: LATENCY },
    ...Object.keys(FAILURES).map((variant) => ({ variant, level: FAILOVER })),
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
    if (level === SERVERS) return measureServers(fleet, Number(n), phases);
    const failure = /** @type {keyof typeof FAILURES} */ (variant);
    return measureFailover(fleet, await startMatch(fleet), failure, phases);
  },

  notes: () => [
    'fleet: latency is the time from a message of a pad until a frame that shows it is sent to a screen, both at the node of the pad. still is the longest time without a frame at a screen of another node; phone is the time from the failure until a phone that had to change its node shows a new frame. detection is the time until another node begins to take over the match, takeover the time that this takes. What a remote match costs is the difference of the CPU times of remote and local. Of the three servers, server_... is that of the largest one; n is the number of matches.',
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
 * Measures the CPU time of all processes of a fleet during an action.
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

/**
 * Measures a failure. The screen is at another node; the phone is at the one that fails, and changes to another one.
 * @param {LocalFleet} fleet @param {{code: string, id: number, owner: number}} match
 * @param {keyof typeof FAILURES} failure @param {Record<string, number>} phases
 */
async function measureFailover(fleet, { code, id, owner }, failure, phases) {
  const at = (owner + 1) % fleet.nodes.length;
  const screen = await Client.screen(fleet.nodes[at]);
  const pad = await Client.pad(fleet.nodes[owner], { code, name: 'Ann' });
  await pad.wait('lobby', ({ matches }) => matches.length > 0);
  pad.send({ t: 'join', match: id });
  await pad.wait('match');
  screen.send({ t: 'watch', match: id });
  await sleep(phases.settle);
  const before = screen.frames - 1;
  const closed = once(pad.socket, 'close');
  const [began, beganAt] = [performance.now(), Date.now()];
  FAILURES[failure](fleet, owner);
  const phoning = comeBack(pad, closed, fleet.nodes[at]);
  phoning.catch(() => {}); // it is awaited below
  let moved = owner;
  for (const end = performance.now() + GIVE_UP_MS; moved === owner; await sleep(POLL_MS)) {
    if (performance.now() > end) throw new Error('the match did not go on');
    const now = await fleet.ownerOf(id, at);
    if (now >= 0) moved = now;
  }
  await screen.nextFrame(performance.now(), GIVE_UP_MS);
  const times = screen.frameTimes.slice(before);
  const gaps = times.slice(1).map((time, i) => time - times[i]);
  return {
    metrics: {
      still: Math.max(...gaps),
      phone: (await phoning) - began,
      ...takeoverOf(fleet.logs[moved], id, beganAt),
    },
  };
}

/**
 * Lets a phone change to another node, as its page does.
 * @param {Client} pad @param {Promise<unknown>} closed its connection
 * @param {import('../../harness/local-fleet.js').Node} node
 * @returns {Promise<number>} when it shows a new frame of the match
 */
async function comeBack(pad, closed, node) {
  await closed;
  const seen = pad.messages.length;
  await pad.connect(node);
  await pad.wait('hud', () => true, seen, GIVE_UP_MS);
  return performance.now();
}

/**
 * Reads from the log of the new owner when it began to take over a match, and how long that took.
 * @param {string} log @param {number} id @param {number} beganAt when the node failed, by the clock of the log
 * @returns {{detection: number, takeover: number} | undefined} undefined: the match was handed over
 */
function takeoverOf(log, id, beganAt) {
  for (const line of log.split('\n')) {
    if (!line.includes('"a match was taken over"')) continue;
    const { time, match, reason, ms } = JSON.parse(line);
    if (match !== id || reason !== 'dead') continue;
    return { detection: new Date(time).getTime() - ms - beganAt, takeover: ms };
  }
  return undefined;
}

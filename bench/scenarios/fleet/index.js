/**
 * Measures a fleet of three TVs on this machine, each with a nats-server of its own: what a player notices when the
 * match runs on another node, how long a match stands still when its node dies or is drained, and what frames to
 * screens on other nodes cost. All processes share the cores of this machine; on three boards each has its own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PitvError } from '../../../app/errors.js';
import { LocalFleet, missingForFleet } from '../../harness/local-fleet.js';
import { Client } from '../../harness/client.js';
import { cpuMs } from '../../machine/proc.js';
import { push } from '../../harness/sockets.js';
import { FAILURES, measureFailover } from './failover.js';

const LATENCY = 'latency';
const FAILOVER = 'failover';
const SCREENS = 'screens';
const NODES = 3;
const SCREEN_COUNTS = [1, 4, 16];
/** Until the countdown is over. */
const SETTLE_MS = 5000;
const MEASURE_MS = 10_000;
const MEASURE_QUICK_MS = 4000;
const GIVE_UP_MS = 30_000;
const PERCENT = 100;
/** A frame of `collide` with this many bodies has about 16 KiB. */
const LARGE = Object.freeze({ game: 'collide', options: { bodies: 1300 } });

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
    { name: 'rate', unit: 'frames/s', better: 'higher' },
  ],

  configurations: () => [
    { variant: 'local', level: LATENCY },
    { variant: 'remote', level: LATENCY },
    ...Object.keys(FAILURES).map((variant) => ({ variant, level: FAILOVER })),
    ...SCREEN_COUNTS.map((n) => ({
      variant: 'on other nodes',
      level: SCREENS,
      n,
    })),
  ],

  cost: (_configuration, { quick }) => ({
    seconds: 15 + (SETTLE_MS + (quick ? MEASURE_QUICK_MS : MEASURE_MS)) / 1000,
    starts: 30,
  }),

  async sample({ variant, level, n }, { quick }) {
    if (missingForFleet) throw new PitvError('PITV_BENCH_UNSUPPORTED', missingForFleet);
    const measureMs = quick ? MEASURE_QUICK_MS : MEASURE_MS;
    const fleet = new LocalFleet({ count: NODES });
    try {
      await fleet.start();
      if (level === LATENCY) return await measureLatency(fleet, variant === 'remote', measureMs);
      if (level === SCREENS) return await measureScreens(fleet, Number(n), measureMs);
      const failure = /** @type {keyof typeof FAILURES} */ (variant);
      const times = { settleMs: SETTLE_MS, giveUpMs: GIVE_UP_MS };
      return await measureFailover(fleet, await startMatch(fleet, 0), failure, times);
    } finally {
      await fleet.stop();
    }
  },

  notes: () => [
    'fleet: latency is the time from a message of a pad until a frame that shows it is sent to a screen, both at the node of the pad. still is the longest time without a frame at a screen of another node; phone is the time from the failure until a phone that had to change its node shows a new frame. detection is the time until another node begins to take over the match, takeover the time that this takes. What a remote match costs is the difference of the CPU times of remote and local.',
  ],
};

/** @param {LocalFleet} fleet @param {number} at node of the screen */
async function startMatch(fleet, at, { game = 'bumper', options = {} } = {}) {
  const screen = await Client.screen(fleet.nodes[at]);
  const { code } = await screen.wait('lobby');
  screen.send({ t: 'start', game, options });
  const { match } = await screen.wait('watch', (message) => message.match !== null);
  await screen.nextFrame(performance.now(), GIVE_UP_MS);
  return { screen, code, id: match, owner: await fleet.ownerOf(match, at) };
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

/** @param {LocalFleet} fleet @param {boolean} isRemote @param {number} measureMs */
async function measureLatency(fleet, isRemote, measureMs) {
  const { code, owner } = await startMatch(fleet, 0);
  const at = isRemote ? (owner + 1) % NODES : owner;
  const node = fleet.nodes[at];
  const screen = await Client.screen(node);
  const pad = await Client.pad(node, { code, name: 'Ann' });
  const { matches } = await pad.wait('lobby', (message) => message.matches.length > 0);
  pad.send({ t: 'join', match: matches[0].id });
  await pad.wait('match');
  screen.send({ t: 'watch', match: matches[0].id });
  const inputs = push(pad.socket, 0);
  try {
    await sleep(SETTLE_MS);
    const headers = { authorization: `Bearer ${fleet.adminToken(at)}` };
    const measurements = new URL('/api/measurements', node.url);
    await fetch(measurements, { method: 'DELETE', headers });
    const cpu = await cpuDuring(fleet, owner, () => sleep(measureMs));
    const { latency } = await (await fetch(measurements, { headers })).json();
    if (latency.count === 0) throw new Error('no input was shown by any frame');
    return { metrics: { latency_p50: latency.p50, latency_p99: latency.p99, ...cpu } };
  } finally {
    clearInterval(inputs);
  }
}

/** @param {LocalFleet} fleet @param {number} count of screens @param {number} measureMs */
async function measureScreens(fleet, count, measureMs) {
  const { id, owner, screen: first } = await startMatch(fleet, 0, LARGE);
  first.vanish();
  const others = fleet.nodes.filter((_node, i) => i !== owner);
  const screens = [];
  for (let i = 0; i < count; i++) {
    const screen = await Client.screen(others[i % others.length]);
    await screen.wait('lobby', ({ matches }) =>
      matches.some((/** @type {{id: number}} */ match) => match.id === id),
    );
    screen.send({ t: 'watch', match: id });
    screens.push(screen);
  }
  await sleep(SETTLE_MS);
  for (const screen of screens) screen.frames = 0;
  const began = performance.now();
  const cpu = await cpuDuring(fleet, owner, () => sleep(measureMs));
  const seconds = (performance.now() - began) / 1000;
  if (screens.some((screen) => screen.frames === 0)) throw new Error('a screen got no frame');
  const frames = screens.reduce((sum, screen) => sum + screen.frames, 0);
  return { metrics: { ...cpu, rate: frames / count / seconds } };
}

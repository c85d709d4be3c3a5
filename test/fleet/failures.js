/** Lets parts of a fleet of three TVs fail, and measures how long screens get no new frame. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../app/errors.js';
import { until } from '../support/tv.js';
import { GIVE_UP_MS, othersOf, startFleet, startMatch, untilWhole } from './play.js';
import { ScreenPage } from './screen-page.js';

export const LASTS_MS = 10_000;
/** Time before a failure, and after its end. */
const SETTLE_MS = 3000;
/** A screen that stands still for longer has to say why. */
const EXPLAIN_MS = 1500;
const SAMPLE_MS = 500;

/** @typedef {import('../../bench/harness/local-fleet.js').LocalFleet} LocalFleet */

/**
 * @typedef {Awaited<ReturnType<typeof startFleet>> & {id: number, t: import('./play.js').Context}} Stage a fleet, and
 *   the match that is played
 *
 * @typedef {object} Failure
 * @property {number[]} [at] the TVs that it concerns; by default 0, the one that runs the match
 * @property {boolean} [isCut] whether it needs a network of namespaces
 * @property {boolean} [hides] whether the screens of these TVs show nothing while it lasts
 * @property {(stage: Stage, nodes: number[]) => unknown} happen gets the node of each TV; resolves when the failure
 *   is over
 * @property {Parameters<typeof startFleet>[1]} [options] of the fleet
 */

/** @param {import('node:child_process').ChildProcess} child */
async function suspend(child) {
  child.kill('SIGSTOP');
  await sleep(LASTS_MS);
  child.kill('SIGCONT');
}

/** Stops a TV as an update does, and starts it again. @param {LocalFleet} fleet @param {number} i */
async function restart(fleet, i) {
  const { tv } = fleet.nodes[i];
  tv.kill('SIGTERM');
  await once(tv, 'exit');
  await fleet.startTv(i);
  await untilWhole(fleet);
}

/**
 * Makes a failure in which packets of some TVs do not reach others.
 * @param {number[]} at @param {[from: number, to: number][]} ways @returns {Failure}
 */
const cutWays = (at, ...ways) => ({
  at,
  isCut: true,
  async happen({ network }, nodes) {
    for (const [from, to] of ways) network.cutWay(nodes[from], nodes[to]);
    await sleep(LASTS_MS);
    for (const [from, to] of ways) network.cutWay(nodes[from], nodes[to], false);
  },
});

/** @type {Record<string, Failure>} */
export const FAILURES = {
  'the TV is killed': { happen: ({ fleet }, [owner]) => fleet.kill(owner) },
  'its nats-server is killed': {
    happen: ({ fleet }, [owner]) => fleet.servers[owner].kill('SIGKILL'),
  },
  'both are killed': { happen: ({ fleet }, [owner]) => fleet.kill(owner, { server: true }) },
  'the TV is stopped (SIGTERM)': {
    happen: ({ fleet }, [owner]) => fleet.nodes[owner].tv.kill('SIGTERM'),
  },
  'all TVs are restarted, one after the other': {
    at: [0, 1, 2],
    async happen({ fleet }, nodes) {
      for (const i of nodes) await restart(fleet, i);
    },
  },
  'the nats-server is suspended for 10 s': {
    happen: ({ fleet }, [owner]) => suspend(fleet.servers[owner]),
  },
  'the TV is suspended for 10 s': {
    happen: ({ fleet }, [owner]) => suspend(fleet.nodes[owner].tv),
  },
  'the TV is cut off for 10 s': {
    isCut: true,
    hides: true,
    async happen({ network }, [owner]) {
      network.cut(owner);
      await sleep(LASTS_MS);
      network.cut(owner, false);
    },
  },
  'it and another TV cannot reach each other for 10 s': cutWays([0, 1], [0, 1], [1, 0]),
  'another TV does not hear it for 10 s': cutWays([0, 1], [0, 1]),
  'no TV hears it for 10 s': { ...cutWays([0], [0, 1], [0, 2]), hides: true },
  'it and another TV die for 10 s, all servers live': {
    at: [0, 1],
    async happen({ fleet }, [owner, other]) {
      for (const i of [owner, other]) fleet.kill(i);
      await sleep(LASTS_MS);
      for (const i of [owner, other]) await fleet.startTv(i);
    },
  },
};

/**
 * Watches a fleet: at no time do two nodes run a match whose frames reach a screen.
 * @param {import('./play.js').Context} t @param {Stage} stage
 * @returns {() => Promise<void>} ends it, and throws if there were two owners
 */
function watchOwners(t, { fleet, screens, id }) {
  let isOver = false;
  t.after(() => (isOver = true));
  /** Nodes that say that they run the match. */
  const claims = async () => {
    const owners = fleet.nodes.map((_node, i) => fleet.ownerOf(id, i).catch(() => -1));
    return (await Promise.all(owners)).flatMap((owner, i) => (owner === i ? [i] : []));
  };
  const watch = async () => {
    while (!isOver) {
      const first = await claims();
      const began = performance.now();
      await sleep(SAMPLE_MS);
      const second = await claims();
      const both = first.filter((i) => second.includes(i));
      const showing = both.filter((i) => screens[i].frameTimes.some((at) => at > began));
      if (showing.length > 1) throw new Error(`nodes ${showing.join(' and ')} run match ${id}`);
    }
  };
  const watching = watch();
  watching.catch(() => {}); // it is awaited at the end
  return async () => {
    isOver = true;
    await watching;
  };
}

/**
 * Connects a phone to a TV that runs, and waits until it plays.
 * @param {Stage} stage @param {import('../../bench/harness/client.js').Client} pad
 */
async function playsOn({ fleet }, pad) {
  const isRunning = (/** @type {LocalFleet['nodes'][number]} */ { tv }) =>
    tv.exitCode === null && tv.signalCode === null;
  const from = pad.messages.length;
  await pad.connect(fleet.nodes.find(isRunning) ?? fleet.nodes[0]);
  await pad.wait('hud', () => true, from, GIVE_UP_MS);
}

/**
 * @typedef {object} Measured
 * @property {number} [own] longest time without a new frame at the screens of the TVs that the failure concerns, ms;
 *   Infinity: the match is lost
 * @property {number} [others] the same at the other screens
 * @property {number} [said] time until the last screen said that it stands still, ms; undefined: none did for long
 * @property {string[]} wrong
 */

/**
 * Starts a fleet and a match, and lets something fail.
 * @param {import('./play.js').Context} t @param {Failure} failure @returns {Promise<Measured>}
 */
export async function measureFailure(t, { at = [0], isCut, happen, options }) {
  const parts = await startFleet(t, { ...options, isCut });
  const { id, owner, pad } = await startMatch(t, parts, 0);
  const stage = { ...parts, id, t };
  const nodes = [owner, ...othersOf(owner)];
  const pages = nodes.map((i) => new ScreenPage(parts.fleet.nodes[i].url, id));
  t.after(() => pages.forEach(({ connection }) => connection.close()));
  for (const page of pages) await until(() => page.times.length > 0, 'frames');
  await sleep(SETTLE_MS);
  /** @type {string[]} */
  const wrong = [];
  const note = (/** @type {unknown} */ error) => void wrong.push(messageOf(error));
  const stopWatching = watchOwners(t, stage);
  const since = performance.now();
  await happen(stage, nodes);
  const settled = performance.now() + SETTLE_MS;
  /** @type {ReturnType<ScreenPage['stall']>[]} */
  const stalls = [];
  for (const page of pages) {
    const isBack = () => Number(page.times.at(-1)) > settled;
    const back = await until(isBack, 'a new frame', SETTLE_MS + GIVE_UP_MS).catch(note);
    if (page.hasEnded) wrong.push('the match has ended');
    stalls.push(back ? page.stall(since) : { stillMs: Infinity, saidMs: 0 });
  }
  await stopWatching().catch(note);
  await playsOn(stage, pad).catch(note);
  const long = stalls.filter(({ stillMs }) => stillMs > EXPLAIN_MS);
  if (long.some(({ saidMs }) => saidMs === Infinity)) wrong.push('a screen stood still in silence');
  const most = (/** @type {number[]} */ ofPages) =>
    ofPages.length > 0 ? Math.max(...ofPages.map((i) => stalls[i].stillMs)) : undefined;
  return {
    own: most(at),
    others: most([0, 1, 2].filter((i) => !at.includes(i))),
    said: long.length > 0 ? Math.max(...long.map(({ saidMs }) => saidMs)) : undefined,
    wrong,
  };
}

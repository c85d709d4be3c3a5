/** `make fleet-failures`: lets parts of a fleet of three TVs fail, and measures how long screens get no new frame. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { messageOf } from '../../app/errors.js';
import { HEADER_AT } from '../../app/game/frame.js';
import { Connection, SILENT_MS } from '../../app/web/lib/connection.js';
import { missingForFleet } from '../../bench/harness/local-fleet.js';
import { FleetNetwork, missingForNetwork } from '../../bench/network/fleet-network.js';
import { tableOf } from '../../bench/report/markdown.js';
import { median } from '../../bench/stats/stats.js';
import { until } from '../support/tv.js';
import {
  GIVE_UP_MS,
  atEnd,
  endAll,
  othersOf,
  startFleet,
  startMatch,
  untilWhole,
  watchOwners,
} from './play.js';

const LASTS_MS = 10_000;
/** Time before a failure, and after its end. */
const SETTLE_MS = 3000;
/** A screen that stands still for longer has to say why. */
const EXPLAIN_MS = 1500;

/**
 * @typedef {object} Stage
 * @property {import('../../bench/harness/local-fleet.js').LocalFleet} fleet
 * @property {FleetNetwork} network
 *
 * @typedef {object} Failure
 * @property {number[]} at the TVs that it concerns; 0 is the one that runs the match
 * @property {boolean} [isCut] whether it needs a network of namespaces
 * @property {(stage: Stage, nodes: number[]) => unknown} happen gets the node of each TV; resolves when the failure
 *   is over
 */

/** @param {import('node:child_process').ChildProcess} child */
async function suspend(child) {
  child.kill('SIGSTOP');
  await sleep(LASTS_MS);
  child.kill('SIGCONT');
}

/** Stops a TV as an update does, and starts it again. @param {Stage['fleet']} fleet @param {number} i */
async function restart(fleet, i) {
  const { tv } = fleet.nodes[i];
  tv.kill('SIGTERM');
  await once(tv, 'exit');
  await fleet.startTv(i);
  await untilWhole(fleet);
}

/**
 * Makes a failure in which packets of some TVs do not reach others.
 * @param {number[]} at @param {[from: number, to: number][]} ways
 * @returns {Failure}
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
const FAILURES = {
  'the TV is killed': { at: [0], happen: ({ fleet }, [owner]) => fleet.kill(owner) },
  'its nats-server is killed': {
    at: [0],
    happen: ({ fleet }, [owner]) => fleet.servers[owner].kill('SIGKILL'),
  },
  'both are killed': {
    at: [0],
    happen: ({ fleet }, [owner]) => fleet.kill(owner, { server: true }),
  },
  'the TV is stopped (SIGTERM)': {
    at: [0],
    happen: ({ fleet }, [owner]) => fleet.nodes[owner].tv.kill('SIGTERM'),
  },
  'all TVs are restarted, one after the other': {
    at: [0, 1, 2],
    async happen({ fleet }, nodes) {
      for (const i of nodes) await restart(fleet, i);
    },
  },
  'the nats-server is suspended for 10 s': {
    at: [0],
    happen: ({ fleet }, [owner]) => suspend(fleet.servers[owner]),
  },
  'the TV is suspended for 10 s': {
    at: [0],
    happen: ({ fleet }, [owner]) => suspend(fleet.nodes[owner].tv),
  },
  'the TV is cut off for 10 s': {
    at: [0],
    isCut: true,
    async happen({ network }, [owner]) {
      network.cut(owner);
      await sleep(LASTS_MS);
      network.cut(owner, false);
    },
  },
  'it and another TV cannot reach each other for 10 s': cutWays([0, 1], [0, 1], [1, 0]),
  'another TV does not hear it for 10 s': cutWays([0, 1], [0, 1]),
  'no TV hears it for 10 s': cutWays([0], [0, 1], [0, 2]),
  'it and another TV die for 10 s, all servers live': {
    at: [0, 1],
    async happen({ fleet }, [owner, other]) {
      for (const i of [owner, other]) fleet.kill(i);
      await sleep(LASTS_MS);
      for (const i of [owner, other]) await fleet.startTv(i);
    },
  },
};

/** A screen that connects as its page does: it changes its TV when that one is silent. */
class ScreenPage {
  /** When new frames have come, ms. @type {number[]} */
  times = [];
  /** When it has said that something is wrong, ms. @type {{from: number, to: number}[]} */
  said = [];
  hasEnded = false;
  /** @type {'pause' | 'continue' | undefined} */
  #cutOff;
  #tick = -1;
  #token = '';
  #match;
  #watched = 0;

  /** @param {string} url of the TV @param {number} match */
  constructor(url, match) {
    this.#match = match;
    this.connection = new Connection({
      url: url.replace(/^http/, 'ws') + '/ws',
      WebSocket,
      hello: () => ({ role: 'screen', token: this.#token }),
      onMessage: (message) => this.#receive(message),
      onFrame: (frame) => this.#show(new DataView(frame).getUint32(HEADER_AT.tick, true)),
      onState: () => this.#check(),
    });
    this.connection.open();
  }

  /** @param {any} message */
  #receive(message) {
    if (message.t === 'welcome') {
      this.#token = message.token;
      this.#watched = 0;
    } else if (message.t === 'watch') this.#watched = message.match;
    else if (message.t === 'ended') this.hasEnded = true;
    else if (message.t === 'lobby') {
      this.#cutOff = message.cutOff;
      this.#check();
      const isThere = message.matches.some((/** @type {any} */ { id }) => id === this.#match);
      if (isThere && this.#watched !== this.#match) {
        this.connection.send({ t: 'watch', match: this.#match });
      }
    }
  }

  /** @param {number} tick of a frame */
  #show(tick) {
    if (tick !== this.#tick) this.times.push(performance.now());
    this.#tick = tick;
  }

  #check() {
    const now = performance.now();
    const isStill = now - (this.times.at(-1) ?? now) > SILENT_MS;
    const isLost = this.connection.shownState !== 'open';
    const isWrong = isLost || this.#cutOff !== undefined || isStill;
    const [last] = this.said.slice(-1);
    if (isWrong && !(last?.to === Infinity)) this.said.push({ from: now, to: Infinity });
    else if (!isWrong && last?.to === Infinity) last.to = now;
  }

  /**
   * Finds the longest time without a new frame.
   * @param {number} since ms
   * @returns {{stillMs: number, saidMs: number}} saidMs: from its begin until the screen said so; Infinity: it did not
   */
  stall(since) {
    const next = this.times.findIndex((at) => at > since);
    let [from, to] = [since, since];
    for (let i = Math.max(1, next); i < this.times.length; i++) {
      const [before, at] = [this.times[i - 1], this.times[i]];
      if (at - before > to - from) [from, to] = [before, at];
    }
    const said = this.said.find((each) => each.to > from && each.from < to);
    return { stillMs: to - from, saidMs: said ? Math.max(0, said.from - from) : Infinity };
  }
}

/**
 * @typedef {object} Result of one failure
 * @property {string} name
 * @property {number} [own] longest time without a new frame at the screens of the TVs that it concerns, ms; Infinity:
 *   the match is lost
 * @property {number} [others] the same at the other screens
 * @property {number} [said] time until the last screen said that it stands still, ms; undefined: none did for long
 * @property {string[]} wrong
 */

/**
 * Starts a fleet, and lets something fail.
 * @param {string} name
 * @returns {Promise<Result>}
 */
export async function measureFailure(name) {
  const { at, isCut, happen } = FAILURES[name];
  const network = isCut ? new FleetNetwork(3) : undefined;
  if (network) atEnd(() => network.close());
  const parts = await startFleet({ network });
  const { fleet } = parts;
  const { id, owner } = await startMatch(parts, 0);
  const nodes = [owner, ...othersOf(owner)];
  const pages = nodes.map((i) => new ScreenPage(fleet.nodes[i].url, id));
  atEnd(() => pages.forEach(({ connection }) => connection.close()));
  for (const page of pages) await until(() => page.times.length > 0, 'frames');
  await sleep(SETTLE_MS);
  /** @type {string[]} */
  const wrong = [];
  const note = (/** @type {unknown} */ error) => void wrong.push(messageOf(error));
  const stopWatching = watchOwners(parts, id);
  const since = performance.now();
  await happen({ fleet, network: /** @type {FleetNetwork} */ (network) }, nodes);
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
  const long = stalls.filter(({ stillMs }) => stillMs > EXPLAIN_MS);
  if (long.some(({ saidMs }) => saidMs === Infinity)) wrong.push('a screen stood still in silence');
  const most = (/** @type {number[]} */ ofPages) =>
    ofPages.length > 0 ? Math.max(...ofPages.map((i) => stalls[i].stillMs)) : undefined;
  return {
    name,
    own: most(at),
    others: most([0, 1, 2].filter((i) => !at.includes(i))),
    said: long.length > 0 ? Math.max(...long.map(({ saidMs }) => saidMs)) : undefined,
    wrong,
  };
}

const worst = (/** @type {number[]} */ values) => Math.max(...values);

/**
 * Makes the cells of a column.
 * @param {'own' | 'others' | 'said'} figure @param {(values: number[]) => number} of
 * @returns {(results: Result[]) => string}
 */
const ms = (figure, of) => (results) => {
  const values = results.map((result) => result[figure]).filter((value) => value !== undefined);
  if (values.length === 0) return '';
  const value = of(values);
  return value === Infinity ? 'never' : value.toFixed();
};

/** @type {import('../../bench/report/markdown.js').Columns<Result[]>} */
const COLUMNS = [
  ['What fails', ([{ name }]) => name],
  ['n', (results) => results.length],
  ['its screens: median, ms', ms('own', median)],
  ['worst', ms('own', worst)],
  ['others: median, ms', ms('others', median)],
  ['worst', ms('others', worst)],
  ['says so, worst, ms', ms('said', worst)],
  ['wrong', (results) => results.filter(({ wrong }) => wrong.length > 0).length],
];

const METHOD = `The longest time between two new frames at a screen, from the failure until three seconds after its end. "The TV"
runs the match; "its screens" are those of the TVs that fail or are cut off. There is one at each TV; it connects as the page of a
screen does, and changes its TV when that one is silent for 1.2 s. "Says so": time from the last frame until a screen that stands
still for more than 1.5 s says that it does, that it has lost its TV, or that its TV has lost the others. Each failure has a new
fleet; all processes share the cores of this machine.`;

/** @type {import('../drive.js').Driver} */
export const driver = {
  title: 'Failures of a fleet',
  about: 'Lets parts of a fleet of three TVs fail, and measures how long screens get no new frame.',
  options: {
    COUNT: { about: 'how often each failure happens', value: 20, above: 0 },
    ONLY: { about: 'only the failures with this text in their name', value: '' },
  },
  async drive({ COUNT: count, ONLY: only }, { signal, show }) {
    if (missingForFleet) return { paragraphs: [], problems: [missingForFleet] };
    const noCuts = missingForNetwork();
    const asked = Object.keys(FAILURES).filter((name) => name.includes(only));
    const left = asked.filter((name) => noCuts && FAILURES[name].isCut);
    const names = asked.filter((name) => !left.includes(name));
    /** @type {Result[]} */
    const results = [];
    for (let i = 0; i < count * names.length && !signal.aborted; i++) {
      const name = names[i % names.length];
      const result = await measureFailure(name).catch((error) => ({
        name,
        wrong: [messageOf(error)],
      }));
      results.push(result);
      show(result);
      await endAll();
    }
    const rows = names
      .map((name) => results.filter((result) => result.name === name))
      .filter((row) => row.length > 0);
    return {
      paragraphs: [
        tableOf(COLUMNS, rows),
        ...left.map((name) => `Left out: ${name} (${noCuts}).`),
        METHOD,
      ],
      problems: results.flatMap(({ name, wrong }) => wrong.map((what) => `${name}: ${what}`)),
    };
  },
};

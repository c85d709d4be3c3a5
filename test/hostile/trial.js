/** Runs attacks on a TV, and checks the rules that apply during and after every attack. */
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { now, poll } from '../support/polling.js';
import { excess } from '../support/serve.js';
import { Client } from '../support/tv.js';
import { exchange, request } from '../support/wire.js';
import { startAttack } from './attacker.js';
import { DESCRIPTORS, Game, MEMORY_MIB } from './game.js';

export const RULES = Object.freeze({
  /**
   * Ticks of the match divided by its ticks in the same time without an attack. In half a second, 0.1 s in which
   * another program had the core costs 0.2.
   */
  tickRatio: 0.75,
  /** A machine with other work can be late; a TV that is overwhelmed does not answer. */
  healthMs: 2500,
  joinMs: 2500,
  /** Descriptors more than before, after the attack: sockets of probes that are just being closed. */
  descriptors: 4,
  /** MiB more than before, after the attack: garbage that V8 has not collected yet. */
  memoryMib: 24,
  /** Lines that an attack may add to the log: starts and ends of matches, one refusal of each kind. */
  logLines: 100,
  /** The time for descriptors and memory to return, ms. */
  recoveryMs: 5000,
});

const SAMPLE_MS = 300;
const PROBE_MS = 100;
const MIN_MS = 500;
/** A probe without a good answer counts as this long, ms. */
const GIVE_UP_MS = 3000;

/** @typedef {import('../support/tv-under-test.js').TvUnderTest} Tv */
/** @typedef {Awaited<ReturnType<typeof tryAttack>>} Figures of an attack */
/** @typedef {import('./attacker.js').Attack} Attack */

/** Runs attacks one after another with one engine; a TV that broke a rule is replaced before the next one. */
export class Trials {
  /** @type {Game | undefined} */
  #game;
  #addressGroup = 10;

  /** @param {string} engine */
  constructor(engine) {
    this.engine = engine;
    try {
      setPriority(-10); // of the TV and its players: higher than other programs and the attackers
    } catch {
      // Only root may do that. Otherwise other programs take part of the TV's time.
    }
  }

  /** Runs an attack. @param {string} key @param {Attack} attack @param {number} seconds longest time */
  async run(key, attack, seconds) {
    const game = (this.#game ??= await Game.start(this.engine));
    const group = ++this.#addressGroup; // limits that an earlier attack reached do not apply to it
    const addresses = [1, 2, 3, 4].map((host) => `127.0.${group}.${host}`);
    let held = false;
    try {
      const figures = await tryAttack({ key, attack, addresses, seconds, game });
      held = figures.broken.length === 0;
      return figures;
    } finally {
      if (!held) {
        this.#game = undefined;
        await game.stop();
      }
    }
  }

  async close() {
    await this.#game?.stop();
  }
}

/**
 * Runs an attack and measures what it does to the TV and to the match.
 * @param {{key: string, attack: Attack, addresses: string[], seconds: number, game: Game}} trial
 *   seconds: the attack takes no longer
 * @returns the longest probes and gap, descriptors and memory before it, at their peak and after it, and broken rules
 */
async function tryAttack({ key, attack, addresses, seconds, game }) {
  const { tv } = game;
  await game.freshMatch();
  const { logLines } = tv;
  const errorsBefore = tv.errors.length;
  const before = heldBy(tv);
  const samples = [before];
  const sampler = setInterval(() => samples.push(heldBy(tv)), SAMPLE_MS);
  const maxSeconds = Math.min(attack.bounds.seconds, seconds);
  const target = { url: tv.url, port: tv.port, code: tv.code };
  const child = await startAttack({ key, tv: target, addresses, seconds: maxSeconds });
  let during;
  try {
    during = await measureAttack(child, game);
    if (!attack.holds) await child.end();
    const allowed = {
      descriptors: before.descriptors + RULES.descriptors,
      memoryMib: before.memoryMib + RULES.memoryMib,
    };
    const hasRecovered = () => {
      const after = heldBy(tv);
      samples.push(after);
      return excess(after, allowed) === 0;
    };
    await poll(hasRecovered, attack.recoveryMs ?? RULES.recoveryMs, PROBE_MS);
  } finally {
    clearInterval(sampler);
    await child.end();
  }
  const [healthAfterMs, joinAfterMs] = await Promise.all([checkHealth(tv), joinPhone(tv)]);

  const { saw, ...measured } = during;
  const held = (/** @type {keyof typeof before} */ what) => {
    const all = samples.map((sample) => sample[what]);
    return [all[0], Math.max(...all), all[all.length - 1]];
  };
  const figures = {
    attack: attack.name,
    ...measured,
    healthMs: Math.max(measured.healthMs, healthAfterMs),
    joinMs: Math.max(measured.joinMs, joinAfterMs),
    descriptors: held('descriptors'),
    memoryMib: held('memoryMib'),
    logLines: tv.logLines - logLines,
  };
  const broken = [...brokenRules(figures), ...game.harm];
  if (!tv.running) broken.unshift('the TV has ended');
  if (saw) broken.unshift(saw);
  const errors = tv.errors.slice(errorsBefore);
  if (errors.length > 0) broken.push(`${errors.length} errors were logged: ${errors[0]}`);
  const kills = tv.groups.get('memory')?.kills ?? 0;
  if (kills > 0) broken.push(`the kernel killed ${kills} processes`);
  return { ...figures, broken };
}

/** @param {Tv} tv */
const heldBy = ({ held, memoryMib }) => ({ descriptors: held.descriptors, memoryMib });

/** @param {() => Promise<unknown>} probe @returns {Promise<number>} how long it takes, ms */
function timeOf(probe) {
  const startedAt = performance.now();
  const late = sleep(GIVE_UP_MS, GIVE_UP_MS, { ref: false });
  const done = probe().then(
    () => performance.now() - startedAt,
    () => GIVE_UP_MS,
  );
  return Promise.race([done, late]);
}

/** Requests /healthz on a new connection. @param {Tv} tv @returns {Promise<number>} ms until the answer */
const checkHealth = (tv) =>
  timeOf(async () => {
    const bytes = Buffer.from(request(tv, '/healthz'));
    const answer = await exchange(tv.port, bytes, { end: false, localAddress: '127.0.2.1' });
    if (!answer.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error('no good answer');
  });

let phones = 0;

/** Joins with a new phone from a new address, and leaves. @param {Tv} tv @returns {Promise<number>} ms */
const joinPhone = (tv) =>
  timeOf(async () => {
    const localAddress = `127.0.3.${1 + (phones++ % 250)}`;
    (await Client.pad(tv, { name: 'Phone' }, { localAddress })).vanish();
  });

/**
 * Repeats a probe while an attack is going on, at least once.
 * @param {() => Promise<number>} probe @param {() => boolean} isGoing @returns {Promise<number>} the longest time, ms
 */
async function longestOf(probe, isGoing) {
  let longestMs = 0;
  do {
    longestMs = Math.max(longestMs, await probe());
    await sleep(PROBE_MS);
  } while (isGoing());
  return longestMs;
}

/**
 * Probes the TV and counts the ticks of the match until the attack is over.
 * @param {Awaited<ReturnType<typeof startAttack>>} child @param {Game} game
 */
async function measureAttack(child, game) {
  const { tv } = game;
  await tv.ask('/api/measurements', { method: 'DELETE' }); // begins to measure the loop's delay
  const since = now();
  const start = await game.clock();
  const [healthMs, joinMs, saw] = await Promise.all([
    longestOf(() => checkHealth(tv), child.going),
    longestOf(() => joinPhone(tv), child.going),
    child.over,
    sleep(MIN_MS), // too few ticks to count in less
  ]);
  const end = await game.clock();
  const elapsedMs = end.ms - start.ms;
  if (!tv.running) throw new Error(`The TV has ended. Its log ends with:\n${tv.log.slice(-2000)}`);
  const { p99, max } = (await (await tv.ask('/api/measurements')).json()).loop;
  return {
    saw,
    seconds: elapsedMs / 1000,
    healthMs,
    joinMs,
    loopMs: { p99, max },
    tickRatio: (end.tick - start.tick) / elapsedMs / game.ticksPerMs,
    frameGapMs: game.longestGap(since).ms,
  };
}

/**
 * Names the rules that figures break.
 * @param {Record<'healthMs' | 'joinMs' | 'tickRatio' | 'logLines', number> &
 *   Record<'descriptors' | 'memoryMib', number[]>} figures @returns {string[]} sentences
 */
function brokenRules({ healthMs, joinMs, tickRatio, descriptors, memoryMib, logLines }) {
  const [descriptorsBefore, descriptorsPeak, descriptorsAfter] = descriptors;
  const [memoryBefore, memoryPeak, memoryAfter] = memoryMib;
  /** @type {[boolean, string][]} */
  const rules = [
    [healthMs <= RULES.healthMs, `/healthz took ${healthMs.toFixed(0)} ms`],
    [joinMs <= RULES.joinMs, `a new phone took ${joinMs.toFixed(0)} ms to join`],
    [tickRatio >= RULES.tickRatio, `the match made ${(100 * tickRatio).toFixed(0)} % of its ticks`],
    [
      descriptorsAfter <= descriptorsBefore + RULES.descriptors,
      `${descriptorsBefore} descriptors became ${descriptorsAfter}`,
    ],
    [descriptorsPeak < DESCRIPTORS, 'all descriptors were in use'],
    [
      memoryAfter <= memoryBefore + RULES.memoryMib,
      `${memoryBefore.toFixed(0)} MiB became ${memoryAfter.toFixed(0)} MiB`,
    ],
    [memoryPeak < MEMORY_MIB, `the TV took ${memoryPeak.toFixed(0)} MiB`],
    [logLines <= RULES.logLines, `${logLines} lines were logged`],
  ];
  return rules.filter(([held]) => !held).map(([, sentence]) => sentence);
}

/** @type {import('../../bench/report/markdown.js').Columns<Figures>} */
export const COLUMNS = [
  ['Attack', ({ attack }) => attack],
  ['s', ({ seconds }) => seconds.toFixed(1)],
  ['`/healthz`, ms', ({ healthMs }) => healthMs.toFixed()],
  ['join, ms', ({ joinMs }) => joinMs.toFixed()],
  [
    'loop delay p99 / max, ms',
    ({ loopMs }) => `${loopMs.p99.toFixed(1)} / ${loopMs.max.toFixed()}`,
  ],
  ['ticks', ({ tickRatio }) => tickRatio.toFixed(2)],
  ['frame gap, ms', ({ frameGapMs }) => frameGapMs.toFixed()],
  ['descriptors', ({ descriptors }) => descriptors.join(' / ')],
  ['memory, MiB', ({ memoryMib }) => memoryMib.map((mib) => mib.toFixed()).join(' / ')],
  ['log lines', ({ logLines }) => logLines],
  ['', ({ broken }) => (broken.length > 0 ? 'broken' : 'held')],
];

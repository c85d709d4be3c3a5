/**
 * Packages that do random things, in a TV with a match beside them. Each is read in a locked process, and its match is
 * started, watched by a screen, and stopped by its owner soon after, unless the TV has ended it. An input is one
 * package.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { missingForLock } from '../../../app/engine/lock.js';
import { loadCatalog } from '../../../app/packages/catalog.js';
import { readForeignGames } from '../../../app/packages/foreign-games.js';
import { processTree } from '../../../app/process/process-tree.js';
import { extent } from '../../support/extent.js';
import { percentile } from '../../support/judge.js';
import { TICK_MS } from '../../support/played-match.js';
import { openScope } from '../../support/polling.js';
import { tableOf } from '../../../bench/report/markdown.js';
import { excess, parentOf } from '../../support/serve.js';
import { Client, startTv, until } from '../../support/tv.js';
import { descriptors } from '../../support/wire.js';
import { anyPackage } from '../support/package-actions.js';
import { sourceOf } from '../support/package-source.js';

/** Matches beside the neighbour in a crowded round. */
const MATCHES = 4;
/**
 * One round of this many plays MATCHES at a time, beginning with the first. The others play one at a time, as a TV with
 * two cores does by default.
 */
const CROWDED = 8;
const BATCH = extent(16, 32);
/** Time to import a package. */
const READ_MS = 600;
/** The owner stops a match after this time. */
const LIVE_MS = 300;
const STOP_GRACE_MS = 200;
/** The neighbour is measured alone for this time after each round. */
const QUIET_MS = 400;

/** Descriptors and processes in use; a process that has been forked ahead counts. */
const inUse = () => ({ descriptors: descriptors(), processes: processTree().length });

/** @typedef {import('../support/package-actions.js').Package} Package */
/** @typedef {import('../../../app/packages/catalog.js').Game} Game */
/** @typedef {import('../../../app/match/match.js').Match} Match */

/** Measures a match in windows: as many as there are, with pauses between them. */
class Windows {
  /** Between frames, ms. @type {number[]} */
  gaps = [];
  ms = 0;
  ticks = 0;
  late = 0;

  /** @param {string} name @param {Match} match @param {Client} screen of the match */
  constructor(name, match, screen) {
    this.name = name;
    this.match = match;
    this.screen = screen;
  }

  /** Measures until something is done. @param {() => Promise<unknown>} run */
  async during(run) {
    const { match, screen } = this;
    const late = () => match.worker.mailbox?.lateTicks ?? 0;
    screen.frameTimes.length = 0;
    const before = { at: performance.now(), ticks: match.ticks, late: late() };
    await run();
    this.ms += performance.now() - before.at;
    this.ticks += match.ticks - before.ticks;
    this.late += late() - before.late;
    const times = screen.frameTimes;
    this.gaps.push(...times.slice(1).map((time, i) => time - times[i]));
  }
}

/** @param {number} part */
const inPercent = (part) => `${(part * 100).toFixed(1)} %`;

/**
 * ticks: in parts of those that the clock has had.
 * @type {import('../../../bench/report/markdown.js').Columns<Windows>}
 */
const COLUMNS = [
  ['neighbour', ({ name }) => name],
  ['s', ({ ms }) => (ms / 1000).toFixed()],
  ['frames', ({ gaps }) => gaps.length],
  ['ticks', ({ ticks, ms }) => inPercent((ticks * TICK_MS) / ms)],
  ['late ticks', ({ ticks, late }) => inPercent(late / ticks)],
  ['gap p99, ms', ({ gaps }) => percentile(gaps, 0.99).toFixed()],
  ['gap max, ms', ({ gaps }) => percentile(gaps, 1).toFixed()],
];

class Harness {
  /** Packages by how they have ended. @type {Record<string, number>} */
  ends = {};
  #next = 0;
  #checks = 0;

  /**
   * @param {ReturnType<typeof openScope>} scope @param {import('../../../app/tv.js').Tv} tv
   * @param {Match} neighbour @param {Client[]} screens
   */
  constructor(scope, tv, neighbour, [ofNeighbour, ...screens]) {
    this.close = scope.close;
    this.tv = tv;
    this.neighbour = neighbour;
    this.screens = screens;
    this.ofNeighbour = ofNeighbour;
    this.alone = new Windows('alone', neighbour, ofNeighbour);
    this.besideOne = new Windows('beside one package', neighbour, ofNeighbour);
    this.beside = new Windows(`beside ${MATCHES} packages`, neighbour, ofNeighbour);
    this.before = inUse();
    this.pids = [zygoteOf(tv), neighbour.pid];
  }

  /** @param {Package[]} packages */
  async check(packages) {
    const folder = await mkdtemp(join(tmpdir(), 'packages-'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const { ticks } = this.neighbour;
    const isCrowded = this.#checks++ % CROWDED === 0;
    const windows = isCrowded ? this.beside : this.besideOne;
    const queue = packages.map((actions) => ({ actions, id: `p${++this.#next}` }));
    const lane = async (/** @type {Client} */ screen) => {
      for (let next = queue.shift(); next; next = queue.shift())
        await this.#play(next, folder, screen);
    };
    const screens = this.screens.slice(0, isCrowded ? MATCHES : 1);
    try {
      await windows.during(() => Promise.all(screens.map(lane)));
    } finally {
      await rm(folder, { recursive: true });
    }
    await this.#unharmed(ticks);
  }

  /** @param {string} end */
  #count(end) {
    this.ends[end] = (this.ends[end] ?? 0) + 1;
  }

  /** @param {{actions: Package, id: string}} one @param {string} folder @param {Client} screen */
  async #play({ actions, id }, folder, screen) {
    const { lobby } = this.tv;
    const path = join(folder, `${id}.js`);
    await writeFile(path, sourceOf(id, actions));
    const [read] = await readForeignGames([{ path }], READ_MS, false);
    if (read instanceof Error) return this.#count('left out');
    const game = /** @type {Game} */ (/** @type {unknown} */ ({ ...read, hash: 'f'.repeat(64) }));
    lobby.setGames([...lobby.games, game]);
    const find = () => lobby.matches.find((match) => match.game.id === id);
    let wasStopped = false;
    const timer = setTimeout(() => {
      wasStopped = true;
      void find()?.stop();
    }, LIVE_MS);
    try {
      const { match } = await lobby.start(id, { owner: 'test' });
      screen.send({ t: 'watch', match: match.id });
      if (!match.end) await once(match, 'ended');
      const { reason } = /** @type {NonNullable<typeof match.end>} */ (match.end);
      this.#count(reason === 'stopped' && match.restarts > 0 ? 'restarted' : reason);
    } catch {
      this.#count(wasStopped ? 'stopped' : 'not started');
    } finally {
      clearTimeout(timer);
      lobby.setGames(lobby.games.filter((one) => one !== game));
    }
    assert.equal(find(), undefined, `${id}: its match`);
  }

  /** @param {number} ticks of the neighbour before */
  async #unharmed(ticks) {
    const { tv, neighbour } = this;
    for (const screen of [this.ofNeighbour, ...this.screens]) {
      await screen.settle(); // the TV answers
      screen.messages.length = 0;
    }
    assert.deepEqual(tv.lobby.matches, [neighbour]);
    assert.equal(neighbour.restarts, 0, 'restarts of the neighbour');
    assert.deepEqual(
      [zygoteOf(tv), neighbour.pid],
      this.pids,
      'the zygote and the worker of the neighbour',
    );
    await until(() => neighbour.ticks > ticks, 'the next tick of the neighbour');
    await this.ofNeighbour.moreFrames(1);
    const isFreed = () => excess(inUse(), this.before) === 0;
    await until(isFreed, 'the end of all processes and descriptors', 20_000);
  }

  settle() {
    return this.alone.during(() => delay(QUIET_MS));
  }

  report() {
    const ends = Object.entries(this.ends).map(([end, count]) => `${count} ${end}`);
    const windows = [this.alone, this.besideOne, this.beside];
    return `${tableOf(COLUMNS, windows, 1)}\n\nHow the packages ended: ${ends.join(', ')}.`;
  }
}

/** @param {import('../../../app/tv.js').Tv} tv */
const zygoteOf = ({ lobby }) => parentOf(lobby.matches[0].pid);

/** @type {import('../run-target.js').Target<Package>} */
export default {
  missing: missingForLock(),
  batch: BATCH,
  slow: true,
  input: anyPackage,
  async open() {
    const scope = openScope();
    const own = (await loadCatalog()).filter(({ id }) => id === 'collide');
    const tv = await startTv(scope, {
      games: own,
      args: ['--engine', 'zygote', '--untrusted-games', 'locked'],
      thorough: true,
      limits: { stopGraceMs: STOP_GRACE_MS },
    });
    const neighbour = (await tv.lobby.start('collide', { owner: 'test' })).match;
    /** @type {Client[]} */
    const screens = [];
    for (let i = 0; i <= MATCHES; i++) screens.push(await Client.screen(tv, { differences: true }));
    scope.after(() => screens.forEach((screen) => screen.vanish()));
    screens[0].send({ t: 'watch', match: neighbour.id });
    await screens[0].moreFrames(30);
    return new Harness(scope, tv, neighbour, screens);
  },
};

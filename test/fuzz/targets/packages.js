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
import { readForeignGames } from '../../../app/packages/foreign-games.js';
import { processTree } from '../../../app/process/process-tree.js';
import { extent } from '../../support/extent.js';
import { percentile } from '../../support/judge.js';
import { TICK_MS } from '../../support/played-match.js';
import { openScope } from '../../support/polling.js';
import { tableOf } from '../../../bench/report/markdown.js';
import { excess, parentOf } from '../../support/serve.js';
import { Client, gamesOf, startTv, until } from '../../support/tv.js';
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

/**
 * Reads and plays a package.
 * @param {import('../../../app/tv.js').Tv} tv @param {Client} screen
 * @param {{id: string, path: string}} one @returns {Promise<string>} how it has ended
 */
async function play({ lobby }, screen, { id, path }) {
  const [read] = await readForeignGames([{ path }], 'locked', { limitMs: READ_MS });
  if (read instanceof Error) return 'left out';
  const game = /** @type {Game} */ (/** @type {unknown} */ ({ ...read, hash: 'f'.repeat(64) }));
  lobby.setGames([...lobby.games, game]);
  const find = () => lobby.matches.find((match) => match.game.id === id);
  let wasStopped = false;
  const timer = setTimeout(() => {
    wasStopped = true;
    void find()?.stop();
  }, LIVE_MS);
  let end;
  try {
    const { match } = await lobby.start(id, { owner: 'test' });
    screen.send({ t: 'watch', match: match.id });
    if (!match.end) await once(match, 'ended');
    const { reason } = /** @type {NonNullable<typeof match.end>} */ (match.end);
    end = reason === 'stopped' && match.restarts > 0 ? 'restarted' : reason;
  } catch {
    end = wasStopped ? 'stopped' : 'not started';
  } finally {
    clearTimeout(timer);
    lobby.setGames(lobby.games.filter((one) => one !== game));
  }
  assert.equal(find(), undefined, `${id}: its match`);
  return end;
}

/** @type {import('../run-target.js').Target<Package>} */
export default {
  missing: missingForLock(),
  batch: BATCH,
  slow: true,
  input: anyPackage,
  async open() {
    const scope = openScope();
    const tv = await startTv(scope, {
      games: await gamesOf('collide'),
      args: ['--engine', 'zygote', '--untrusted-games', 'locked'],
      thorough: true,
      limits: { stopGraceMs: STOP_GRACE_MS },
    });
    const neighbour = (await tv.lobby.start('collide', { owner: 'test' })).match;
    /** @type {Client[]} */
    const screens = [];
    for (let i = 0; i <= MATCHES; i++) screens.push(await Client.screen(tv, { differences: true }));
    scope.after(() => screens.forEach((screen) => screen.vanish()));
    const [ofNeighbour, ...others] = screens;
    ofNeighbour.send({ t: 'watch', match: neighbour.id });
    await ofNeighbour.moreFrames(30);

    const names = ['alone', 'beside one package', `beside ${MATCHES} packages`];
    const windows = names.map((name) => new Windows(name, neighbour, ofNeighbour));
    const [alone, besideOne, beside] = windows;
    const pidsOf = () => [parentOf(tv.lobby.matches[0].pid), neighbour.pid];
    const before = inUse();
    const pids = pidsOf();
    /** Packages by how they have ended. @type {Record<string, number>} */
    const ends = {};
    let packages = 0;
    let checks = 0;

    /** @param {Package[]} some */
    async function check(some) {
      const folder = await mkdtemp(join(tmpdir(), 'packages-'));
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      const { ticks } = neighbour;
      const isCrowded = checks++ % CROWDED === 0;
      const queue = [...some];
      const lane = async (/** @type {Client} */ screen) => {
        for (let actions = queue.shift(); actions; actions = queue.shift()) {
          const id = `p${++packages}`;
          const path = join(folder, `${id}.js`);
          await writeFile(path, sourceOf(id, actions));
          const end = await play(tv, screen, { id, path });
          ends[end] = (ends[end] ?? 0) + 1;
        }
      };
      const lanes = others.slice(0, isCrowded ? MATCHES : 1);
      try {
        await (isCrowded ? beside : besideOne).during(() => Promise.all(lanes.map(lane)));
      } finally {
        await rm(folder, { recursive: true });
      }
      for (const screen of screens) {
        await screen.settle(); // the TV answers
        screen.messages.length = 0;
      }
      assert.deepEqual(tv.lobby.matches, [neighbour]);
      assert.equal(neighbour.restarts, 0, 'restarts of the neighbour');
      assert.deepEqual(pidsOf(), pids, 'the zygote and the worker of the neighbour');
      await until(() => neighbour.ticks > ticks, 'the next tick of the neighbour');
      await ofNeighbour.moreFrames(1);
      const isFreed = () => excess(inUse(), before) === 0;
      await until(isFreed, 'the end of all processes and descriptors', 20_000);
    }

    return {
      check,
      settle: () => alone.during(() => delay(QUIET_MS)),
      report() {
        const counts = Object.entries(ends).map(([end, count]) => `${count} ${end}`);
        return `${tableOf(COLUMNS, windows, 1)}\n\nHow the packages ended: ${counts.join(', ')}.`;
      },
      close: scope.close,
    };
  },
};

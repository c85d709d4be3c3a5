/**
 * Kills workers, zygotes and the main process at random. Matches continue, and no process is orphaned.
 * PITV_CHAOS_SEED repeats the random choices of a run.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { extent } from '../../support/extent.js';
import { until } from '../helpers.js';
import { isAlive } from './helpers.js';

const MAIN = fileURLToPath(new URL('../jobs/chaos.js', import.meta.url));
const CHAOS_MS = extent(6000, 60_000);
const PAUSE_MS = [20, 400];
/** All processes have to end within this time after the main process. */
const GONE_MS = 1000;
/** Of 100 kills, a worker is the target of the first 65, the zygote up to 90, then the main process. */
const WORKER = 65;
const ZYGOTE = 90;

/** Mulberry32 by Tommy Ettinger. @param {number} seed @returns {() => number} 0..1 */
function randomFrom(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Lists all processes whose group is one of these. @param {Set<number>} groups @returns {number[]} */
function members(groups) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return !'ZX'.includes(state) && groups.has(Number(group));
      } catch {
        return false; // gone meanwhile
      }
    });
}

test('processes are killed at random: matches continue and no process is orphaned', async (t) => {
  const seed = Number(process.env.PITV_CHAOS_SEED ?? Date.now() % 2 ** 31);
  t.diagnostic(`PITV_CHAOS_SEED=${seed}`);
  const random = randomFrom(seed);
  /** @type {Set<number>} every zygote leads a process group */
  const groups = new Set();
  /** @type {string[]} */
  const errors = [];
  const killed = { worker: 0, zygote: 0, main: 0 };
  let slowestMs = 0;

  async function startMain() {
    const child = spawn(process.execPath, [MAIN], { stdio: ['pipe', 'pipe', 'inherit'] });
    const main = {
      child,
      zygote: 0,
      /** @type {number[]} */ workers: [],
      /** @type {any} */ end: undefined,
    };
    const ready = new Promise((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const message = JSON.parse(line);
        if (message.zygote) groups.add((main.zygote = message.zygote));
        if (message.worker) main.workers.push(message.worker);
        if (message.error) errors.push(message.error);
        if (message.ended) main.end = message;
        if (message.ready) resolve(undefined);
      });
    });
    await Promise.race([ready, once(child, 'exit')]);
    assert.equal(child.exitCode, null, 'the main process ended as it started');
    return main;
  }

  let main = await startMain();
  const deadline = performance.now() + CHAOS_MS;
  while (performance.now() < deadline) {
    const pauseMs = PAUSE_MS[0] + random() * (PAUSE_MS[1] - PAUSE_MS[0]);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const what = random() * 100;
    if (what < WORKER) {
      main.workers = main.workers.filter(isAlive);
      const victim = main.workers[Math.floor(random() * main.workers.length)];
      if (victim === undefined) continue;
      process.kill(victim, 'SIGKILL');
      killed.worker++;
    } else if (what < ZYGOTE) {
      if (!isAlive(main.zygote)) continue;
      process.kill(main.zygote, 'SIGKILL');
      killed.zygote++;
    } else {
      main.child.kill('SIGKILL');
      await once(main.child, 'exit');
      const gone = performance.now();
      await until(() => members(groups).length === 0, 'all went with the main process');
      slowestMs = Math.max(slowestMs, performance.now() - gone);
      killed.main++;
      main = await startMain();
    }
  }
  main.child.stdin.end();
  const [code] = await once(main.child, 'close');
  t.diagnostic(
    `killed ${killed.worker} workers, ${killed.zygote} zygotes, ${killed.main} main processes; ` +
      `with the last, all was gone within ${slowestMs.toFixed(0)} ms`,
  );
  assert.ok(slowestMs < GONE_MS, `gone only ${slowestMs.toFixed(0)} ms after the main process`);
  assert.equal(code, 0);
  assert.deepEqual(main.end.ended, ['stopped', 'stopped', 'stopped', 'stopped']);
  assert.deepEqual(errors, []);
  await until(() => members(groups).length === 0, 'nothing is left');
});

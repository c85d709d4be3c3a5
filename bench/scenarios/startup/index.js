/**
 * How long until there is another worker. `ready` is from the call until the worker's module is loaded,
 * its job made and its event loop entered, when none was started just before; `burst` the same for one
 * that is asked for as soon as another is ready; `call` is when the call itself returned, which is what the
 * paper took for a thread. Then, to know where a process's time goes: Node with nothing to do, and a
 * small program plain, out of a snapshot, and with its code compiled ahead.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ENGINES, createEngine } from '../../../app/engine/index.js';
import { PitvError } from '../../../app/errors.js';
import { cpuMs, memoryOf, processTree } from '../../machine/proc.js';
import { median } from '../../stats/stats.js';
import job from './job.js';

const JOB = new URL('./job.js', import.meta.url);
const PROGRAM = fileURLToPath(new URL('./program.cjs', import.meta.url));
const OPTIONS = { bodies: 1000, seed: 1, match: 1 };
/** Pairs of workers after the first one, each ended before the next is started. */
const REPEATS = 3;
/** Between them: what an engine does after a start (the zygote forks the next child ahead) is over. */
const REST_MS = 500;

const CACHED = 'small program, compile cache';

/** What it takes to run each, beside Node's own flags. @type {Record<string, (workDir: string) => {args: string[], env?: Record<string, string>}>} */
const PROGRAMS = {
  'node -e 0': () => ({ args: ['-e', '0'] }),
  'small program': () => ({ args: [PROGRAM] }),
  'small program, snapshot': (workDir) => {
    const blob = join(workDir, `program-${process.version}.blob`);
    const build = ['--snapshot-blob', blob, '--build-snapshot', PROGRAM];
    if (!existsSync(blob) && spawnSync(process.execPath, build).status !== 0) {
      throw new PitvError('PITV_BENCH_SNAPSHOT', `Node ${process.version} makes no snapshot here.`);
    }
    return { args: ['--snapshot-blob', blob] };
  },
  [CACHED]: (workDir) => {
    const folder = join(workDir, `compile-cache-${process.version}`);
    const env = { NODE_COMPILE_CACHE: folder };
    if (!existsSync(folder)) {
      mkdirSync(folder);
      spawnSync(process.execPath, [PROGRAM], {
        stdio: ['ignore', 'ignore', 'ignore', 'ignore'],
        env: { ...process.env, ...env },
      });
    }
    return { args: [PROGRAM], env };
  },
};

/** NODE_COMPILE_CACHE came with Node 22.1. */
const hasCompileCache = 'enableCompileCache' in module;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'startup',
  title: 'From the call for another worker until it is ready',
  reference: 'process',
  metrics: [
    { name: 'ready', unit: 'ms' },
    { name: 'burst', unit: 'ms' },
    { name: 'call', unit: 'ms' },
    { name: 'first', unit: 'ms' },
    { name: 'cpu', unit: 'ms' },
    { name: 'peak_pss', unit: 'KiB' },
  ],

  // A first look is at the engines: cold starts and bare programs take three quarters of the time.
  configurations: ({ quick, engines = ENGINES }) => [
    ...engines.map((engine) => ({ variant: engine, engine })),
    ...(canDropCaches() && !quick ? engines : []).map((engine) => ({
      variant: `${engine}, cold`,
      engine,
    })),
    ...(quick ? [] : Object.keys(PROGRAMS))
      .filter((variant) => variant !== CACHED || hasCompileCache)
      .map((variant) => ({ variant })),
  ],

  // A zygote is warmed up for seconds before the first worker.
  cost: ({ engine }) => ({
    seconds: engine ? (REPEATS * REST_MS) / 1000 : 0,
    starts: engine === 'zygote' ? 44 : engine ? 17 : 5,
  }),

  async sample({ variant, engine }, { workDir }) {
    if (engine) return startWorkers(engine, variant !== engine);
    const { args, env } = PROGRAMS[variant](workDir);
    await runProgram(args, env); // the sample before this one may have emptied the page cache
    return { metrics: { ready: await runProgram(args, env) } };
  },

  notes(samples) {
    const variants = new Set(samples.map(({ configuration }) => configuration.variant));
    const has = (/** @type {RegExp} */ name) => [...variants].some((variant) => name.test(variant));
    const programs = ['node -e 0: until it has ended.'];
    if (!hasCompileCache) programs.push('The compile cache needs Node 22.1 or later.');
    return [
      'cpu, peak_pss: CPU time of all processes and threads until the worker is ready, and what PSS they have in all then; the median, and the most. A zygote forks the next child after that, which is not in it.',
      has(/, cold$/)
        ? `cold: the page cache was emptied before each start (${DROP_CACHES}). Programs that run stay in memory.`
        : 'All starts are warm: cold ones need root and are left out of a quick run.',
      'first: the first worker of its main process, whose own code for it is cold; ready, burst and call: medians of the three after it.',
      ...(has(/^node -e/) ? programs : []),
    ];
  },
};

/** Writing 1 drops what is cached of files and not in use (proc_sys_vm(5)). */
const DROP_CACHES = '/proc/sys/vm/drop_caches';

function canDropCaches() {
  try {
    accessSync(DROP_CACHES, constants.W_OK);
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

/** @param {string} name of an engine @param {boolean} cold */
async function startWorkers(name, cold) {
  const engine = await createEngine(name, { modules: [JOB], thorough: true });
  const sizes = job.sizes(OPTIONS);
  const start = async () => {
    if (cold) writeFileSync(DROP_CACHES, '1');
    const others = processTree(process.pid);
    const before = cpuMs(others);
    const worker = await engine.start(JOB, { sizes, options: OPTIONS });
    const tree = [...new Set([...others, worker.pid])];
    const cpu = cpuMs(tree) - before;
    const { spawnMs, readyMs } = worker.startup;
    return { worker, spawnMs, readyMs, cpu, pss: memoryOf(tree).pss };
  };
  /** @param {Awaited<ReturnType<typeof start>>[]} started */
  const stop = async (started) => {
    for (const { worker } of started) {
      await worker.stop();
      engine.freeMailbox(worker.mailbox);
    }
  };
  const first = await start();
  await stop([first]);
  /** @type {Awaited<ReturnType<typeof start>>[]} */
  const rested = [];
  /** @type {number[]} */
  const bursts = [];
  for (let i = 0; i < REPEATS; i++) {
    await setTimeout(REST_MS);
    const one = await start();
    const another = await start();
    await stop([one, another]);
    rested.push(one);
    bursts.push(another.readyMs);
  }
  await engine.close();
  const typical = (/** @type {'readyMs' | 'spawnMs' | 'cpu'} */ field) =>
    median(rested.map((one) => one[field]));
  return {
    metrics: {
      first: first.readyMs,
      ready: typical('readyMs'),
      burst: median(bursts),
      call: typical('spawnMs'),
      cpu: typical('cpu'),
      peak_pss: Math.max(...[first, ...rested].map(({ pss }) => pss)),
    },
  };
}

/** @param {string[]} args @param {Record<string, string>} [env] @returns {Promise<number>} ms */
async function runProgram(args, env) {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  const said = child.stdio[3] && once(child.stdio[3], 'data');
  await (args[0] === '-e' ? ended : Promise.race([said, ended.then(fail)]));
  const elapsed = performance.now() - began;
  await ended;
  return elapsed;
}

/** @param {unknown[]} ending */
function fail([code]) {
  throw new Error(`the program ended with ${code} before it was ready`);
}

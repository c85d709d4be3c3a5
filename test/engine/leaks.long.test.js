/** Engines leave no process, thread, descriptor or mapping. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ENGINES } from '../../app/engine/index.js';
import { defaultSpares } from '../../app/engine/kinds/zygote.js';
import { extent } from '../support/extent.js';
import { isAlive, parentOf } from '../support/serve.js';
import { countSizes as sizes, engineFor, exitOf, jobUrl, until } from './helpers.js';
import { childrenOf, isSpare } from './zygote/helpers.js';

const CYCLES = extent(5, 50);
const AT_ONCE = 5;
const FAILURES = extent(2, 4);
/**
 * A worker has loaded the engine's modules by then, on a loaded machine, too: Node.js 20 leaves the file open that a
 * thread is loading when it is ended.
 */
const READY_TIMEOUT_MS = 2000;

/** Lists the files, sockets and pipes of this process, without that of this list. */
const descriptors = () =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return `${fd}: ${readlinkSync(`/proc/self/fd/${fd}`)}`;
    } catch {
      return []; // that of readdirSync()
    }
  });
const mappings = () => readFileSync('/proc/self/maps', 'latin1').match(/memfd:pitv/g)?.length ?? 0;
const threads = () => readdirSync('/proc/self/task').length;
/**
 * Lists the processes below this one as a text, zombies included. The pid of a zygote's spare is left out,
 * because each start replaces the spare.
 * @param {number} [pid] @returns {string}
 */
const children = (pid = process.pid) =>
  childrenOf(pid)
    .map((child) => `${isSpare(child) ? 'spare' : child}(${children(child)})`)
    .join(' ');

/**
 * Waits until an engine has started its own processes.
 * @param {string} name of the engine
 * @returns {Promise<string>} see children()
 */
async function ownOf(name) {
  if (name === 'zygote') {
    await until(() => children().split('spare').length > defaultSpares(), 'the spares are forked');
  }
  return children();
}

/**
 * Notes what this process has.
 * @param {string} own the engine's own processes
 * @returns {() => Promise<void>} waits until there is no more than that
 */
function noteAll(own) {
  const before = { descriptors: descriptors(), mappings: mappings(), threads: threads() };
  return async () => {
    await until(() => children() === own, 'no process is left');
    const areClosed = () => descriptors().length <= before.descriptors.length;
    await until(areClosed, 'no descriptor is left').catch(() =>
      assert.deepEqual(descriptors(), before.descriptors),
    );
    await until(() => threads() <= before.threads, 'no thread is left');
    assert.ok(mappings() <= before.mappings);
  };
}

for (const name of ENGINES) {
  describe(`leaks of engine ${name}`, () => {
    test(`${CYCLES} workers that ended in every way leave nothing`, async (t) => {
      const engine = await engineFor(t, name, { hangMs: 200, thorough: true });
      if (!engine) return;
      const own = await ownOf(name);
      /** @type {((worker: import('../../app/engine/index.js').WorkerHandle) => Promise<unknown>)[]} */
      const ends = [
        (worker) => worker.stop(),
        (worker) => worker.stop({ graceMs: 0 }),
        (worker) => exitOf(worker), // done
        (worker) => exitOf(worker), // throws
        (worker) => exitOf(worker), // hangs
      ];
      const options = [{}, {}, { doneAt: 2 }, { fault: 'throw', at: 2 }, { fault: 'spin', at: 2 }];
      /** @param {number} i */
      const cycle = async (i) => {
        const job = 'doneAt' in options[i] ? 'count' : 'faulty';
        const worker = await engine.start(jobUrl(job), { sizes, options: options[i] });
        // Each scrape of /metrics asks for statistics.
        await Promise.all([engine.stats(), ends[i](worker)]);
        engine.freeMailbox(worker.mailbox);
      };
      const round = () => Promise.all(ends.map((_, i) => cycle(i)));
      await round(); // loads modules that stay loaded
      await until(() => children() === own, 'the first workers are gone');
      const nothingIsLeft = noteAll(own);
      for (let i = 0; i < CYCLES / AT_ONCE; i++) await round();
      await nothingIsLeft();
      assert.deepEqual(engine.workers, []);
    });

    test('failed starts leave nothing', async (t) => {
      const engine = await engineFor(t, name, { readyTimeoutMs: READY_TIMEOUT_MS, thorough: true });
      if (!engine) return;
      const own = await ownOf(name);
      const waiting = jobUrl('endless');
      waiting.search = '?wait'; // does not use the CPU
      const fail = () =>
        Promise.allSettled(
          [jobUrl('broken'), jobUrl('nowhere'), waiting].map((job) => engine.start(job, { sizes })),
        );
      await fail();
      const nothingIsLeft = noteAll(own);
      for (let i = 1; i < FAILURES; i++) await fail();
      await nothingIsLeft();
    });

    test('a closed engine does not keep the process alive', async () => {
      const main = spawn(process.execPath, [MAIN, name, 'close'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [code] = await once(main, 'exit');
      assert.equal(code, 0);
    });
  });
}

const MAIN = fileURLToPath(new URL('./jobs/main.js', import.meta.url));

for (const name of ['process', 'zygote'])
  test(`all processes of engine ${name}, also hung ones, end when the main process is killed`, async () => {
    const main = spawn(process.execPath, [MAIN, name, 'stay'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: main.stdout });
    const [line] = await once(lines, 'line');
    /** @type {number[]} */
    const pids = JSON.parse(line);
    assert.equal(pids.length, 3);
    if (name === 'zygote') pids.push(parentOf(pids[0]));
    assert.ok(pids.every(isAlive));
    main.kill('SIGKILL');
    await once(main, 'exit');
    await until(() => !pids.some(isAlive), 'all workers are gone');
  });

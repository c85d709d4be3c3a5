/** Pools in programs that start in different ways. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ENGINES, moduleUrl, poolFor } from './helpers.js';
import { temporaryFolder } from '../support/folders.js';

for (const [name, options] of Object.entries(ENGINES)) {
  describe(name, () => {
    /**
     * Runs code in which `open(options)` creates a pool, as `node --eval`.
     * @param {string} code the body of an async function @param {string[]} [execArgv]
     * @param {string} [NODE_OPTIONS]
     * @returns {Promise<{stdout: string, stderr: string}>}
     */
    const run = (code, execArgv = [], NODE_OPTIONS = process.env.NODE_OPTIONS) =>
      promisify(execFile)(process.execPath, argumentsOf(code, execArgv), {
        env: { ...process.env, NODE_OPTIONS },
      });
    /** @param {string} code @param {string[]} [execArgv] */
    const argumentsOf = (code, execArgv = []) => {
      const program = `import('${moduleUrl('program.js')}')`;
      return [...execArgv, '--eval', program, '--', JSON.stringify(options), code];
    };

    /**
     * Adds a test of what a program prints.
     * @param {string} title @param {string} code @param {string} expected @param {string[]} [execArgv]
     */
    const testOutput = (title, code, expected, execArgv) =>
      test(title, async () => assert.equal((await run(code, execArgv)).stdout, expected));

    test('a slow reader gets all lines that tasks print', async () => {
      const code = `const pool = open();
        await pool.run(8000, { name: 'print' });
        await pool.run(8000, { name: 'printAndFail' }).catch(() => {});
        await pool.destroy();`;
      const { stdout } = spawn(process.execPath, argumentsOf(code), {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let lines = 0;
      for await (const chunk of stdout) {
        lines += String(chunk).split('\n').length - 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      assert.equal(lines, 16_000);
    });

    testOutput(
      'workers inherit the options of Node.js',
      `const pool = open();
        console.log(await pool.run(0, { name: 'hooked' }));
        await pool.close();`,
      'true\n',
      ['--import', moduleUrl('hook.js').href],
    );

    testOutput(
      'tasks wait for the workers that run when the system has no descriptors for more',
      `const pool = open({ maxThreads: 20, concurrentTasksPerWorker: 1 });
        await pool.run('first');
        const { readdirSync } = await import('node:fs');
        const { execFileSync } = await import('node:child_process');
        const most = readdirSync('/proc/self/fd').length + 12;
        execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=' + most + ':']);
        const tasks = Array.from({ length: 60 }, (_, n) => pool.run(n));
        console.log((await Promise.all(tasks)).join() === Array.from(tasks.keys()).join());
        console.log(pool.threads.length < 20);
        await pool.close();`,
      'true\ntrue\n',
    );

    testOutput(
      'a program may be the text of a module',
      `console.log(await open().run('task'))`,
      'task\n',
      ['--input-type=module'],
    );

    test('workers do not open the port of the inspector again', async () => {
      const code = `const pool = open();
        console.log(await pool.run('task'));
        await pool.close();`;
      const { stdout, stderr } = await run(code, [], '--inspect=127.0.0.1:0');
      assert.equal(stdout, 'task\n');
      assert.equal(stderr.match(/listening on/g)?.length, 1, stderr);
    });

    test('a program is profiled, and no profiler is forked', async () => {
      const code = `const pool = open();
        console.log(JSON.stringify(await pool.run(0, { name: 'threadNames' })));
        await pool.close();`;
      const folder = temporaryFolder();
      const ways = [[`--cpu-prof-dir=${folder}`], ['--cpu-prof-dir', folder]];
      for (const flags of ways.map((way) => ['--cpu-prof', ...way])) {
        const outputs = [await run(code, flags)];
        if (process.allowedNodeEnvironmentFlags.has('--cpu-prof')) {
          outputs.push(await run(code, [], flags.join(' ')));
        }
        for (const { stdout } of outputs) {
          const isForked = options.engine === 'zygote';
          assert.equal(JSON.parse(stdout).includes('v8:ProfEvntProc'), !isForked, stdout);
        }
      }
      assert.ok(readdirSync(folder).length >= 2);
    });

    // The test runner of Node.js 26 starts test files with this option.
    testOutput(
      'workers collect garbage, whatever V8 options the program has',
      `const resourceLimits = { maxOldGenerationSizeMb: 24 };
        const pool = open({ resourceLimits, taskTimeoutMs: 20_000 });
        await pool.run(0, { name: 'fillHeap' }).catch(({ code }) => console.log(code));
        await pool.close();`,
      'PITV_TASK_MEMORY\n',
      ['--v8-pool-size=4'],
    );

    for (const [end, code] of Object.entries({
      closed: 'await pool.close();',
      'left open': 'process.exit();',
    })) {
      test(`a pool in a worker thread, ${end}, leaves no descriptors and zombies behind`, async () => {
        const inside = `const pool = open(); await pool.run(0); ${code}`;
        const { stdout, stderr } = await run(`
          const { Worker } = await import('node:worker_threads');
          const { readFileSync, readdirSync } = await import('node:fs');
          const argv = [${JSON.stringify(JSON.stringify(options))}, ${JSON.stringify(inside)}];
          const counts = [];
          for (let i = 0; i < 4; i++) {
            const worker = new Worker(new URL('${moduleUrl('program.js')}'), { argv });
            await new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject));
            const children = readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8');
            counts.push(readdirSync('/proc/self/fd').length + ' ' + children);
          }
          console.log(counts.slice(1).every((count) => count === counts[0]) || counts);`);
        assert.equal(stderr, '');
        assert.equal(stdout, 'true\n');
      });
    }

    testOutput(
      'destroy() resolves also while workers become ready',
      `for (let i = 0; i < 16; i++) {
          const pool = open({ minThreads: 4, maxThreads: 4 });
          await pool.run(0);
          const end = performance.now() + 3 * i; // other workers become ready meanwhile, unnoticed
          while (performance.now() < end);
          await pool.destroy();
        }
        console.log('ended');`,
      'ended\n',
    );

    testOutput(
      'workers that are ended while they start leave no descriptors behind',
      `const { readdirSync, readlinkSync } = await import('node:fs');
        for (let i = 0; i < 20; i++) {
          const pool = open({ filename: null, minThreads: 2, maxThreads: 2 });
          await new Promise((resolve) => setTimeout(resolve, 10 + 3 * i));
          await pool.close();
        }
        const files = readdirSync('/proc/self/fd').map((fd) => {
          try {
            return readlinkSync('/proc/self/fd/' + fd);
          } catch {
            return '';
          }
        });
        console.log(files.filter((file) => file.endsWith('.js')).join());
        process.exit();`,
      '\n',
    );

    test('a pool that cannot be created leaves nothing behind', async () => {
      const { stdout } = await run(`
        const { readdirSync } = await import('node:fs');
        const codes = [];
        const fail = (more) => {
          try {
            open(more);
          } catch (error) {
            codes.push(error.name);
          }
        };
        fail({ workerData: () => {} });
        await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
        const before = readdirSync('/proc/self/fd').length;
        for (let i = 0; i < 3; i++) fail({ workerData: () => {} });
        await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
        console.log(codes.join(), readdirSync('/proc/self/fd').length - before);`);
      assert.match(stdout, /^(DataCloneError|Error)(,(DataCloneError|Error)){3} 0\n$/);
    });

    testOutput(
      'properties of Object.prototype are no options',
      `Object.assign(Object.prototype, { taskTimeoutMs: 1, retries: -1, loadBalancer: () => null });
        const pool = open();
        console.log(await pool.run('task'), await pool.run('next', {}));
        await pool.destroy();`,
      'task next\n',
    );

    test('a module may use another instance of the library', async (t) => {
      const folder = temporaryFolder();
      for (const part of ['package.json', 'app', 'ksm/addon']) {
        await cp(fileURLToPath(new URL(`../../${part}`, import.meta.url)), join(folder, part), {
          recursive: true,
          filter: (path) => !/[/]app[/](web|games|native[/].*[/])/.test(path),
        });
      }
      const workerData = pathToFileURL(folder).href;
      const filename = moduleUrl('second-instance.js');
      const pool = poolFor(t, { ...options, filename, workerData });
      const about = await pool.run(0, { name: 'about' });
      assert.deepEqual(about, { isWorkerThread: true, workerData });
      assert.deepEqual(await pool.run(3, { name: 'moved' }), new Uint8Array(3).fill(7));
    });

    test('workers import modules while module hooks are registered', async () => {
      const code = `const pool = open();
        console.log(await pool.run(0, { name: 'importLate' }));
        await pool.close();`;
      const { stdout, stderr } = await run(code, ['--import', moduleUrl('register-hooks.js').href]);
      assert.equal(stdout, '2\n');
      assert.equal(/PITV_ZYGOTE_HOOKS/.test(stderr), name === 'zygote');
    });
  });
}

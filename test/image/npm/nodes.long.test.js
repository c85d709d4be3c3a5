/**
 * The packages in another program: packed, installed from their tarballs and used, on every version of Node.js,
 * without a network, and where no prebuilt addon fits.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makePackage } from '../../../image/npm/pack.js';
import { run, words } from '../../../image/sd/shell.js';
import { root as PROJECT } from '../../support/test-files.js';
import { filesIn, writeFiles } from '../../docs/pages.js';
import { nodeVersions } from '../../nodes.js';
import { COMPILER, Consumer, Registry, expected } from './consumer.js';
import { temporaryFolder } from '../../support/folders.js';

const ENGINES = ['process', 'thread', 'zygote'];
/** A program that launches a process whose memory merges, and tells whether it has settled and is marked. */
const LAUNCH = {
  'child.mjs': `import { SETTLE_EVENT } from '@pitv/ksm';
process.once('disconnect', () => {});
process.send(process.emit(SETTLE_EVENT));
`,
  'parent.mjs': `import { fork } from 'node:child_process';
import { isMergeable, mergeableSpawnOptions, probeFeatures } from '@pitv/ksm';
const { execArgv, env, around } = mergeableSpawnOptions({ level: 'seeds' });
const child = around(() => fork('child.mjs', { execArgv, env: { ...process.env, ...env } }));
child.on('message', (settled) => {
  const missing = probeFeatures().missing.map(({ name }) => name);
  console.log(JSON.stringify({ settled, marked: isMergeable(child.pid), missing }));
  child.disconnect();
});
`,
};
/** @param {Consumer} consumer @returns {Promise<any>} what the program prints */
async function launch(consumer) {
  for (const [file, text] of Object.entries(LAUNCH)) consumer.write(file, text);
  return JSON.parse((await consumer.node('parent.mjs')).stdout);
}
const PAGE = 'docs/runtime.md';
const TSC = join(PROJECT, 'node_modules/typescript/bin/tsc');
/** Settings of a program that checks the declarations of the package as well. */
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    skipLibCheck: false,
    declaration: true,
    types: ['node'],
    typeRoots: [join(PROJECT, 'node_modules/@types')],
  },
  include: ['*.ts'],
};
/** Has two errors: the type of an option, and missing methods. */
const WRONG = `
import { createEngine, type Job } from 'pitv/engine';
await createEngine('thread', { maxWorkers: '1' });
export const job: Job = { step() {} };
`;
/** Has no errors, uses every module, and the declarations of its exports can be written, too. */
const RIGHT = `
import type { probeFeatures } from '@pitv/ksm';
import type { World } from 'pitv/game';
import type { startChild } from 'pitv/pipe';
import type { createZygote } from 'pitv/zygote';
import { Pool, type PiscinaTask, type PoolThread, type TaskQueue } from 'pitv/pool';
class Queue implements TaskQueue {
  #tasks: PiscinaTask[] = [];
  get size() { return this.#tasks.length; }
  push(task: PiscinaTask) { this.#tasks.push(task); }
  shift() { return this.#tasks.shift() ?? null; }
  remove(task: PiscinaTask) { this.#tasks.splice(this.#tasks.indexOf(task), 1); }
}
export const other = new Pool({
  taskQueue: new Queue(),
  loadBalancer: ({ isAbortable }, workers) =>
    workers.find(({ currentUsage }) => isAbortable && currentUsage === 0) ?? null,
});
export const mean: number = other.options.maxThreads * other.histogram.runTime.mean;
other.threads[0].on('exit', (code) => code);
export async function run(): Promise<string> {
  await using pool = new Pool<{ below: number }, string>({ filename: '/tasks.mjs' });
  return pool.run({ below: 1 });
}
const pool = new Pool();
export const { threads, options, histogram, waitTime } = pool;
export const thread: PoolThread = threads[0];
export const view = { ref: () => thread.ref(), queue: new Pool.FixedQueue() };
export type Others = [World, typeof startChild, typeof createZygote, typeof probeFeatures];
`;

describe('the npm packages', () => {
  const out = temporaryFolder();
  const cache = join(out, 'cache');
  /** @type {Record<string, string>} by name */
  const tarballs = {};
  /** @type {Registry} */
  let registry;

  before(async () => {
    registry = await new Registry().open();
    for (const name of ['pitv', '@pitv/ksm', '@pitv/tv'])
      tarballs[name] = (await makePackage(name, { out, own: true })).tarball;
  });
  after(() => registry.close());

  /** @param {Partial<ConstructorParameters<typeof Consumer>[0]>} [options] */
  const makeConsumer = (options) => new Consumer({ registry: registry.url, cache, ...options });

  describe('an installation of the runtime', () => {
    /** @type {Consumer} */
    let consumer;
    before(async () => {
      consumer = makeConsumer();
      await consumer.install([tarballs.pitv, tarballs['@pitv/ksm']]);
      assert.ok(registry.requests > 0);
    });

    test('has as many packages as the documentation says; its pages link to no file that is missing', () => {
      const list = join(consumer.folder, 'node_modules/.package-lock.json');
      const installed = Object.keys(JSON.parse(readFileSync(list, 'utf8')).packages);
      // An older npm, as Debian 12 has it, installs the builds for every C library.
      const { length } = installed.filter((name) => !/-musl$|@pitv\/ksm$/.test(name));
      const text = readFileSync(join(PROJECT, PAGE), 'utf8');
      assert.match(text, new RegExp(`npm installs ${length} packages with \`pitv\``));
      const folder = join(consumer.folder, 'node_modules/pitv');
      const names = readdirSync(folder, { recursive: true }).map(String);
      const pages = names.filter((name) => name.endsWith('.md'));
      assert.ok(pages.includes('docs/pool.md'));
      const read = (/** @type {string} */ name) => readFileSync(join(folder, name), 'utf8');
      assert.match(read('README.md'), /pitv\/pool/);
      for (const name of pages)
        for (const [, path] of read(name).matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g))
          assert.ok(existsSync(join(folder, name, '..', path)), `${name}: ${path}`);
    });

    test(`compiles and runs the TypeScript program of ${PAGE}`, async () => {
      const files = filesIn('ts').filter(({ page }) => page === PAGE);
      writeFiles(files, consumer.folder);
      consumer.write('tsconfig.json', JSON.stringify(TSCONFIG));
      consumer.write('wrong.ts', WRONG);
      consumer.write('right.ts', RIGHT);
      await assert.rejects(consumer.run(process.execPath, [TSC]), ({ message }) => {
        const errors = message.match(/^\S+\.ts\(\d+,\d+\): error/gm);
        assert.deepEqual(errors, ['wrong.ts(3,32): error', 'wrong.ts(4,14): error'], message);
        return true;
      });
      const { stdout } = await consumer.node('main.js');
      assert.equal(stdout.trimEnd(), files.at(-1)?.prints);
    });
  });

  for (const { name, command, skip } of nodeVersions()) {
    if (!name.endsWith(process.arch) && !name.startsWith('this')) continue;
    test(`${name}: installs offline, runs every engine, marks memory`, { skip }, async () => {
      const { requests } = registry;
      const consumer = makeConsumer({ node: command[0] });
      await consumer.install([tarballs.pitv, tarballs['@pitv/ksm']], ['--offline']);
      assert.deepEqual(await consumer.useRuntime(ENGINES), expected(ENGINES));
      assert.ok(!(await launch(consumer)).missing.includes('addon'));
      assert.equal(registry.requests, requests, 'nothing was fetched');
    });
  }

  describe('where no prebuilt addon fits', () => {
    /** Packs a package without its prebuilt addons. @param {string} name @returns {Promise<string>} the tarball */
    async function packBare(name) {
      const folder = join(out, name);
      rmSync(join(folder, 'prebuilds'), { recursive: true });
      const target = mkdtempSync(join(out, 'bare-'));
      const args = words`pack --silent --ignore-scripts --pack-destination ${target}`;
      return join(target, (await run('npm', args, { cwd: folder })).trim());
    }
    let tarball = '';
    before(async () => {
      tarball = await packBare('pitv');
    });

    test('a command compiles it', async () => {
      const consumer = makeConsumer({ programs: COMPILER });
      await consumer.install([tarball]);
      await consumer.run(join(consumer.folder, 'node_modules/.bin/pitv-build-addon'), []);
      const built = join(consumer.folder, 'node_modules/pitv/build', process.arch, 'pitv.node');
      assert.ok(existsSync(built));
      assert.deepEqual(await consumer.useRuntime(ENGINES), expected(ENGINES));
    });

    test('@pitv/ksm launches without its addon, and its command compiles it', async () => {
      const consumer = makeConsumer({ programs: COMPILER });
      await consumer.install([await packBare('@pitv/ksm')]);
      const without = await launch(consumer);
      assert.deepEqual([without.settled, without.marked], [true, false]);
      assert.ok(without.missing.includes('addon'));
      const modules = join(consumer.folder, 'node_modules');
      const build = join(modules, '.bin/pitv-ksm-build-addon');
      await assert.rejects(consumer.run(build, [], { CC: 'no-such-cc' }), /addon ksm is not built/);
      await consumer.run(build, []);
      assert.ok(!existsSync(join(modules, '@pitv/build')), 'nothing outside the package');
      const { settled, marked, missing } = await launch(consumer);
      assert.deepEqual([settled, marked], [true, !missing.includes('linux-6.4')]);
      assert.ok(!missing.includes('addon'));
    });

    test('threads work without a compiler, and the error of the others names the remedy', async () => {
      const consumer = makeConsumer();
      await consumer.install([tarball]);
      assert.deepEqual(await consumer.useRuntime(['thread']), expected(['thread']));
      await assert.rejects(consumer.node('main.mjs', 'process'), /npx pitv-build-addon/);
    });
  });

  test('the TV of its package runs a game in every engine', async () => {
    const consumer = makeConsumer({ name: 'app' }); // with spaces, no process can be locked
    await consumer.install([tarballs['@pitv/tv']]);
    const list = join(consumer.folder, 'node_modules/.package-lock.json');
    assert.doesNotMatch(readFileSync(list, 'utf8'), /hasInstallScript/);
    const { version } = JSON.parse(readFileSync(join(out, '@pitv/tv/package.json'), 'utf8'));
    const cli = join(consumer.folder, 'node_modules/.bin/pitv');
    assert.match((await consumer.run(cli, ['version'])).stdout, new RegExp(`\\b${version}\\b`));
    const game = 'node_modules/@pitv/tv/app/games/kick-off';
    const args = words`games test ${game} --ticks 600 --seed 1 --json`;
    const { stdout } = await consumer.run(cli, args);
    assert.equal(JSON.parse(stdout).passed, true, stdout);
  });
});

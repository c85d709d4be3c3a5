/** The runtime in another program: packed, installed from its tarball and used. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makePackage } from '../../../image/npm/pack.js';
import { filesIn, writeFiles } from '../../docs/examples.js';
import { Consumer, expected } from './consumer.js';
import { temporaryFolder } from '../../support/folders.js';
import { Registry } from './registry.js';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
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
const engine = await createEngine('thread', { maxWorkers: 1 });
await createEngine('thread', { maxWorkers: '1' });
export const job: Job = { step() {} };
await engine.close();
`;
/** Has no errors: the declarations of its exports can be written, too. */
const POOLS = `
import { Pool, type PoolThread } from 'pitv/pool';
export async function run(): Promise<string> {
  await using pool = new Pool<{ below: number }, string>({ filename: '/tasks.mjs' });
  return pool.run({ below: 1 });
}
const pool = new Pool();
export const { threads, options, histogram, waitTime } = pool;
export const thread: PoolThread = threads[0];
export const view = { ref: () => thread.ref(), queue: new Pool.FixedQueue() };
`;
/** The TypeScript program uses the zygote. */
const ENGINES = ['thread'];

describe('an installation of the runtime', () => {
  const out = temporaryFolder();
  /** @type {import('../../../image/npm/pack.js').Packed} */
  let packed;
  /** @type {Registry} */
  let registry;
  /** @type {Consumer} */
  let consumer;

  before(async () => {
    registry = await new Registry().open();
    packed = await makePackage('pitv', { out, own: true });
    consumer = new Consumer({ registry: registry.url });
    await consumer.install([packed.tarball]);
  });
  after(() => {
    registry?.close();
    consumer?.remove();
  });

  test('has as many packages as the pack command and the documentation say', () => {
    const list = join(consumer.folder, 'node_modules/.package-lock.json');
    const installed = Object.keys(JSON.parse(readFileSync(list, 'utf8')).packages);
    // An older npm, as Debian 12 has it, installs the builds for every C library.
    const names = installed.filter((name) => !name.endsWith('-musl'));
    assert.equal(names.length, packed.packages, names.join(', '));
    const page = readFileSync(join(PROJECT, PAGE), 'utf8');
    assert.match(page, new RegExp(`npm installs ${names.length} packages with \`pitv\``));
  });

  test('describes the pool, and its pages link to no file that is missing', () => {
    const folder = join(consumer.folder, 'node_modules/pitv');
    const names = /** @type {string[]} */ (readdirSync(folder, { recursive: true }));
    const pages = names.filter((name) => name.endsWith('.md'));
    assert.ok(pages.includes('docs/pool.md'));
    assert.match(readFileSync(join(folder, 'README.md'), 'utf8'), /pitv\/pool/);
    const missing = pages.flatMap((name) => {
      const page = join(folder, name);
      const links = readFileSync(page, 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g);
      return [...links].filter(([, path]) => !existsSync(join(page, '..', path)));
    });
    assert.deepEqual(missing, []);
  });

  test('has no script that a package manager would have to run', () => {
    const file = join(consumer.folder, 'node_modules/pitv/package.json');
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).scripts, undefined);
  });

  test('runs jobs in threads, and compiles nothing', async () => {
    assert.deepEqual(await consumer.useRuntime(ENGINES), expected(ENGINES));
    assert.ok(!existsSync(join(consumer.folder, 'node_modules/pitv/build')), 'nothing is compiled');
  });

  test(`compiles and runs the TypeScript program of ${PAGE}`, async () => {
    const files = filesIn('ts').filter(({ page }) => page === PAGE);
    writeFiles(files, consumer.folder);
    consumer.write('tsconfig.json', JSON.stringify(TSCONFIG));
    consumer.write('wrong.ts', WRONG);
    consumer.write('pools.ts', POOLS);
    await assert.rejects(consumer.run(process.execPath, [TSC]), ({ message }) => {
      const errors = message.match(/^\S+\.ts\(\d+,\d+\): error/gm);
      assert.deepEqual(errors, ['wrong.ts(4,32): error', 'wrong.ts(5,14): error'], message);
      return true;
    });
    const { stdout } = await consumer.node('main.js');
    assert.equal(stdout.trimEnd(), files.at(-1)?.prints);
  });
});

/** The packages on every version of Node.js, with pnpm, without a network, and where no prebuilt addon fits. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makePackage } from '../../../image/npm/pack.js';
import { run } from '../../../image/sd/shell.js';
import { findAddon } from '../../../ksm/addon/find.cjs';
import { nodeVersions } from '../../nodes.js';
import { COMPILER, Consumer, expected } from './consumer.js';
import { temporaryFolder } from '../../support/folders.js';
import { Registry } from './registry.js';
import { findTools } from './tools.js';

const ENGINES = ['process', 'thread', 'zygote'];
const tools = findTools();

describe('the npm packages', () => {
  const out = temporaryFolder();
  const cache = join(out, 'cache');
  /** @type {Record<string, string>} name -> tarball */
  const tarballs = {};
  /** @type {Registry} */
  let registry;

  before(async () => {
    registry = await new Registry().open();
    for (const name of ['pitv', '@pitv/ksm', '@pitv/tv']) {
      tarballs[name] = (await makePackage(name, { out, own: true })).tarball;
    }
  });
  after(() => registry.close());

  /**
   * @param {import('node:test').TestContext} t @param {Partial<ConstructorParameters<typeof Consumer>[0]>} [options]
   */
  function makeConsumer(t, options) {
    const consumer = new Consumer({ registry: registry.url, cache, ...options });
    t.after(() => consumer.remove());
    return consumer;
  }

  test('npm fills its cache', async (t) => {
    await makeConsumer(t).install([tarballs.pitv, tarballs['@pitv/ksm']]);
    assert.ok(registry.requests > 0);
  });

  for (const { name, command, skip } of nodeVersions()) {
    if (!name.endsWith(process.arch) && !name.startsWith('this')) continue;
    test(`${name}: installs offline, runs every engine, marks memory`, { skip }, async (t) => {
      const { requests } = registry;
      const consumer = makeConsumer(t, { node: command[0] });
      await consumer.install([tarballs.pitv, tarballs['@pitv/ksm']], ['--offline']);
      assert.deepEqual(await consumer.useRuntime(ENGINES), expected(ENGINES));
      consumer.write(
        'ksm.mjs',
        "import { probeFeatures } from '@pitv/ksm';\nconsole.log(probeFeatures().missing.map(({ name }) => name).join());\n",
      );
      assert.doesNotMatch((await consumer.node('ksm.mjs')).stdout, /addon/);
      assert.equal(registry.requests, requests, 'nothing was fetched');
    });
  }

  test('pnpm installs them, offline the second time', { skip: tools.skip }, async (t) => {
    const store = join(out, 'pnpm');
    for (const options of [[], ['--offline']]) {
      const { requests } = registry;
      const consumer = makeConsumer(t);
      const add = ['add', `--store-dir=${store}`, `--config.cache-dir=${store}/cache`, ...options];
      await consumer.run(process.execPath, [
        join(tools.folder, 'pnpm/bin/pnpm.cjs'),
        ...add,
        tarballs.pitv,
        tarballs['@pitv/ksm'],
      ]);
      assert.equal(registry.requests === requests, options.includes('--offline'));
      assert.deepEqual(await consumer.useRuntime(ENGINES), expected(ENGINES));
    }
  });

  describe('where no prebuilt addon fits', () => {
    let tarball = '';
    before(async () => {
      const folder = join(out, 'pitv');
      rmSync(join(folder, 'prebuilds'), { recursive: true });
      const target = mkdtempSync(join(out, 'bare-'));
      const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', target];
      tarball = join(target, (await run('npm', args, { cwd: folder })).trim());
    });

    test('a command compiles it', async (t) => {
      const consumer = makeConsumer(t, { programs: COMPILER });
      await consumer.install([tarball]);
      await consumer.run(join(consumer.folder, 'node_modules/.bin/pitv-build-addon'), []);
      const built = join(consumer.folder, 'node_modules/pitv/build', process.arch, 'pitv.node');
      assert.ok(existsSync(built));
      assert.deepEqual(await consumer.useRuntime(ENGINES), expected(ENGINES));
    });

    test('threads work without a compiler, and the error of the others names the remedy', async (t) => {
      const consumer = makeConsumer(t);
      await consumer.install([tarball]);
      assert.deepEqual(await consumer.useRuntime(['thread']), expected(['thread']));
      await assert.rejects(consumer.node('main.mjs', 'process'), /npx pitv-build-addon/);
    });
  });

  test('the TV of its package runs a game in every engine', async (t) => {
    const consumer = makeConsumer(t, { prefix: 'pitv-npm-' }); // with spaces, no process can be locked
    await consumer.install([tarballs['@pitv/tv']]);
    const { version } = JSON.parse(readFileSync(join(out, '@pitv/tv/package.json'), 'utf8'));
    const cli = join(consumer.folder, 'node_modules/.bin/pitv');
    assert.match((await consumer.run(cli, ['version'])).stdout, new RegExp(`\\b${version}\\b`));
    const game = 'node_modules/@pitv/tv/app/games/kick-off';
    const args = ['games', 'test', game, '--ticks', '600', '--seed', '1', '--json'];
    const { stdout } = await consumer.run(cli, args);
    assert.equal(JSON.parse(stdout).passed, true, stdout);
  });

  describe('checked by other programs', { skip: tools.skip }, () => {
    test('node-gyp-build finds the same addon', () => {
      const folder = join(out, '@pitv/ksm');
      const { path } = createRequire(import.meta.url)(join(tools.folder, 'node-gyp-build'));
      assert.equal(path(folder), findAddon('ksm', folder));
    });

    for (const name of ['pitv', '@pitv/ksm']) {
      test(`${name}: attw and publint find nothing`, async () => {
        // Other types of resolution do not know "exports" or ES modules.
        await run(process.execPath, [
          join(tools.folder, '@arethetypeswrong/cli/dist/index.js'),
          tarballs[name],
          '--profile',
          'esm-only',
        ]);
        const lint = await run(process.execPath, [
          join(tools.folder, 'publint/src/cli.js'),
          tarballs[name],
          '--strict',
        ]);
        assert.match(lint, /All good!/);
      });
    }
  });
});

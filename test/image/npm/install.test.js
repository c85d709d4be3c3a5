/** The runtime in another program: packed, installed from its tarball and used. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makePackage } from '../../../image/npm/pack.js';
import { Consumer, expected } from './consumer.js';
import { Registry } from './registry.js';

const ENGINES = ['process', 'thread', 'zygote'];

describe('an installation of the runtime', () => {
  const out = mkdtempSync(join(tmpdir(), 'pitv-packed-'));
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
    rmSync(out, { recursive: true });
  });

  test('has as many packages as the pack command says, and no Express', () => {
    const list = join(consumer.folder, 'node_modules/.package-lock.json');
    const names = Object.keys(JSON.parse(readFileSync(list, 'utf8')).packages);
    assert.equal(names.length, packed.packages, names.join(', '));
    assert.ok(!names.some((name) => name.endsWith('express')));
    assert.ok(registry.requests > 0);
  });

  test('runs jobs in every engine and forks, without a compiler', async () => {
    assert.deepEqual(await consumer.useRuntime(ENGINES), expected(ENGINES));
    assert.ok(
      !existsSync(join(consumer.folder, 'node_modules/pitv/build')),
      'nothing was compiled',
    );
  });
});

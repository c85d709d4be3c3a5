/** The version of the archive for BitBake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceVersion } from '../../../image/yocto/dist.js';

test('a later commit has a higher version, and a changed work tree is marked', () => {
  const commit = { timeS: 1_700_000_000, id: 'f00', changed: false };
  const version = sourceVersion('0.1.0', commit);
  assert.equal(version, '0.1.0+git20231114221320.f00');
  assert.ok(sourceVersion('0.1.0', { ...commit, timeS: 1_700_000_001, id: 'a00' }) > version);
  assert.equal(sourceVersion('0.1.0', { ...commit, changed: true }), `${version}.changed`);
  assert.equal(sourceVersion('0.1.0', { timeS: 0, id: '', changed: false }), '0.1.0');
});

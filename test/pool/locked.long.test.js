/** A pool that runs code of others. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Pool } from '../../app/pool/index.js';
import { lockMissing } from '../support/lock.js';
import { moduleUrl, poolFor } from './helpers.js';

describe('locked', { skip: lockMissing }, () => {
  for (const engine of /** @type {const} */ (['process', 'zygote'])) {
    // test/engine/lock tries everything else with the same lock.
    test(`${engine}: tasks run, but without other files, processes and environment`, async (t) => {
      const filename = moduleUrl('about.js');
      const readable = ['/etc/hostname'];
      const pool = poolFor(t, { engine, locked: true, filename, readable });
      assert.deepEqual(await pool.run({ deep: [1] }), { deep: [1] });
      assert.ok((await pool.run(filename.pathname, { name: 'read' })) > 0, 'its own folder');
      assert.ok((await pool.run('/etc/hostname', { name: 'read' })) > 0);
      const denied = { code: /EACCES|EPERM|ENOENT|EROFS/ };
      await assert.rejects(pool.run('/etc/passwd', { name: 'read' }), denied);
      await assert.rejects(pool.run(0, { name: 'spawn' }), denied);
      assert.deepEqual(await pool.run(0, { name: 'environment' }), []);
    });

    test(`${engine}: allocated memory is copied, so that no task sees that of another`, async (t) => {
      const pool = poolFor(t, { engine, locked: true, filename: moduleUrl('about.js') });
      const bytes = pool.allocate(10).fill(3);
      const result = await pool.run(bytes);
      assert.deepEqual(result, bytes);
      assert.notEqual(result.buffer, bytes.buffer);
    });
  }

  test('a thread cannot be locked', () => {
    assert.throws(() => new Pool({ locked: true }), { code: 'PITV_LOCK_UNSUPPORTED' });
  });
});

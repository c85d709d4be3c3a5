/**
 * The controller of root with the real ksmd, for a TV of an ordinary user, as on a device. Only the kernel connects
 * them.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chownSync, readFileSync } from 'node:fs';
import { readSettings } from '../../ksm/sysfs.js';
import { temporaryFolder } from '../support/folders.js';
import { NOBODY, asNobody, nobodyMissing } from '../support/ordinary-user.js';
import { ServeChild } from '../support/serve.js';
import { metricsOf } from '../support/tv.js';
import { startController } from './children.js';
import { ksmdTests } from './ksmd.js';

const MATCHES = 2;

/** Matches the log entry of a change to a mode. @param {string} mode */
const changeTo = (mode) => (/** @type {any} */ entry) =>
  entry.event === 'mode' && entry.message.startsWith(`${mode}:`);

const test = ksmdTests(nobodyMissing);
test('the controller of root merges the workers of an ordinary user’s TV', async () => {
  const found = readSettings();
  const [dataDir, stateDir] = [temporaryFolder(), temporaryFolder()];
  chownSync(dataDir, NOBODY, NOBODY);
  const controller = startController(stateDir);
  const args = ['--engine', 'process', '--max-matches', String(MATCHES)];
  const tv = new ServeChild({ dataDir, args, as: asNobody });
  try {
    await tv.start();
    for (let i = 0; i < MATCHES; i++) {
      const body = { game: 'collide' };
      assert.equal((await tv.ask('/api/matches', { method: 'POST', body })).status, 201);
    }
    await controller.until(changeTo('burst'));
    const isTrickle = changeTo('trickle');
    const entry = await controller.until(
      (each) => isTrickle(each) && each.figures.mergeable >= MATCHES,
    );
    assert.ok(entry.figures.profitBytes > 1024 * 1024, JSON.stringify(entry.figures));

    const metrics = await metricsOf(tv);
    assert.equal(metrics.get('pitv_ksm_level{level="seeds"}'), 1, 'the default');
    assert.equal(metrics.get('pitv_ksm_scanning'), 1);
    assert.ok((metrics.get('pitv_ksm_saved_bytes') ?? 0) > 1024 * 1024);
    const pages = [...metrics].filter(([name]) => name.startsWith('pitv_worker_ksm_pages'));
    assert.equal(pages.length, MATCHES);
    for (const [name, count] of pages) assert.ok(count > 100, `${name} ${count}`);

    const status = readFileSync(`/proc/${tv.pid}/status`, 'latin1');
    assert.match(status, /^Uid:\s+65534\s+65534\s+65534\s+65534$/m);
    assert.match(status, /^CapEff:\s+0+$/m);
    await tv.stop();
    const isOff = changeTo('off');
    await controller.until(
      (each) => isOff(each) && each.message.endsWith('nothing is marked any more'),
    );
    controller.child.kill('SIGTERM');
    const [code] = await once(controller.child, 'exit');
    assert.equal(code, 0);
    assert.deepEqual(readSettings(), found);
  } finally {
    await tv.stop('SIGKILL');
    controller.child.kill('SIGKILL');
  }
});

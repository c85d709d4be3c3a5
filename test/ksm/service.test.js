/** The controller of root with the real ksmd, for a TV of an ordinary user. Only the kernel connects them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chownSync, readFileSync } from 'node:fs';
import { KsmController } from '../../ksm/controller.js';
import { readSettings } from '../../ksm/sysfs.js';
import { temporaryFolder } from '../support/folders.js';
import { NOBODY, asNobody, nobodyMissing } from '../support/ordinary-user.js';
import { ServeChild } from '../support/serve.js';
import { metricsOf } from '../support/tv.js';
import { ksmdTests } from './ksmd.js';

const MATCHES = 2;
/** Short passes. If the first burst merges too little because the workers are still loading, the next starts soon. */
const PACE = { tickMs: 50, policy: { burstPassMs: 200, holdMs: 500, maxHoldMs: 500 } };

const test = ksmdTests(nobodyMissing);
test('the controller of root merges the workers of an ordinary user’s TV', async () => {
  const found = readSettings();
  const [dataDir, stateDir] = [temporaryFolder(), temporaryFolder()];
  chownSync(dataDir, NOBODY, NOBODY);
  /** @type {any[]} */
  const log = [];
  const controller = new KsmController({ ...PACE, stateDir, log: (entry) => log.push(entry) });
  /** Waits for a change of mode. @param {RegExp} message @param {number} [mergeable] marked processes, at least */
  const until = async (message, mergeable = 0) => {
    const isWanted = (/** @type {any} */ { event, message: text, figures }) =>
      event === 'mode' && message.test(text) && figures.mergeable >= mergeable;
    while (!log.some(isWanted)) await once(controller, 'mode');
    return log.find(isWanted);
  };
  const args = ['--engine', 'process', '--max-matches', String(MATCHES)];
  const tv = new ServeChild({ dataDir, args, as: asNobody });
  try {
    controller.start();
    await tv.start();
    for (let i = 0; i < MATCHES; i++) {
      const body = { game: 'collide' };
      assert.equal((await tv.ask('/api/matches', { method: 'POST', body })).status, 201);
    }
    await until(/^burst:/);
    const { figures } = await until(/^trickle:/, MATCHES);
    assert.ok(figures.profitBytes > 1024 * 1024, JSON.stringify(figures));

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
    await until(/^off: nothing is marked any more$/);
    controller.stop();
    assert.deepEqual(readSettings(), found);
  } finally {
    await tv.stop('SIGKILL');
    controller.stop();
  }
});

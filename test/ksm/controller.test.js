import test from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KsmController } from '../../ksm/controller.js';
import { readSettings } from '../../ksm/sysfs.js';
import { startChild } from './children.js';
import { temporaryFolder } from '../support/folders.js';
import { fakeSysfs } from './fake.js';
import { probeFeatures } from '../../ksm/features.js';

const noPrctl = probeFeatures().prctl ? false : 'needs Linux 6.4 with KSM';

/** @param {import('node:test').TestContext} t @param {import('../../ksm/controller.js').ControllerOptions} options */
function controllerOf(t, options) {
  /** @type {import('../../ksm/controller.js').LogEntry[]} */
  const log = [];
  const controller = new KsmController({ tickMs: 10, log: (entry) => log.push(entry), ...options });
  t.after(() => controller.stop()); // if the test fails
  return { controller, log, events: () => log.map(({ event }) => event) };
}

test('a marked process starts a burst; stop() restores all', { skip: noPrctl }, async (t) => {
  const sysfs = fakeSysfs();
  const found = readSettings(sysfs);
  const { controller, log } = controllerOf(t, { sysfs, stateDir: temporaryFolder() });
  const child = await startChild(t);
  controller.start();
  // Another marked process on this machine may have started a burst already.
  await child.ask('setMemoryMerge', { on: true });
  const [burst] = controller.mode === 'burst' ? [log.at(-1)] : await once(controller, 'mode');
  assert.match(burst?.message ?? '', /^burst: \d+ process(es)? started$/);
  assert.equal(typeof burst?.figures.profitBytes, 'number');
  const scanning = readSettings(sysfs);
  assert.equal(scanning.run, '1');
  assert.notEqual(scanning.pages_to_scan, found.pages_to_scan);
  controller.stop();
  assert.deepEqual(readSettings(sysfs), found);
  assert.equal(log.at(-1)?.event, 'stop');
});

test('it yields when another program changes a setting, and restores its own', async (t) => {
  const sysfs = fakeSysfs();
  const options = { sysfs, stateDir: temporaryFolder(), proc: '/proc' };
  const { controller, events } = controllerOf(t, options);
  const child = await startChild(t);
  await child.ask('advise');
  controller.start();
  if (controller.mode !== 'burst') await once(controller, 'mode');
  writeFileSync(join(sysfs, 'pages_to_scan'), '12345\n');
  const [entry] = await once(controller, 'yield');
  assert.equal(entry.figures.changes[0].name, 'pages_to_scan');
  assert.equal(controller.running, false);
  assert.equal(readSettings(sysfs).pages_to_scan, '12345', 'the other setting stays');
  assert.equal(readSettings(sysfs).run, '0', 'its own is restored');
  assert.ok(events().includes('yield'));
  const again = controllerOf(t, options).controller;
  again.start();
  assert.equal(again.running, true, 'the lock is free');
  again.stop();
});

test('ksmd keeps running with its settings if it ran before and no process is marked', (t) => {
  const sysfs = fakeSysfs({
    run: '1\n',
    pages_to_scan: '64\n',
    advisor_mode: 'none [scan-time]\n',
  });
  const proc = fakeSysfs(); // a folder without processes
  const found = readSettings(sysfs);
  const { controller } = controllerOf(t, { sysfs, stateDir: temporaryFolder(), proc });
  controller.start();
  assert.deepEqual(readSettings(sysfs), found);
  controller.stop();
  assert.deepEqual(readSettings(sysfs), found);
});

test('a tick that fails is logged, and the controller keeps running', (t) => {
  const proc = temporaryFolder();
  const { controller, log } = controllerOf(t, {
    sysfs: fakeSysfs(),
    stateDir: temporaryFolder(),
    proc,
  });
  rmdirSync(proc);
  controller.start();
  assert.equal(log.at(-1)?.event, 'fail');
  assert.equal(controller.running, true);
  controller.stop();
});

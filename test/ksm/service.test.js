/**
 * The controller of root with the real ksmd: it is killed, and it drives ksmd for a TV of an ordinary user, as on a
 * device. Only the kernel connects them.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMIN_TOKEN_FILE } from '../../app/admin/token.js';
import { readSettings } from '../../ksm/sysfs.js';
import { temporaryFolder } from '../support/folders.js';
import { post } from '../support/http.js';
import { NOBODY, asNobody, nobodyMissing } from '../support/ordinary-user.js';
import { metricsOf } from '../support/tv.js';
import { startAuto, startChild, startController } from './children.js';
import { ksmdTests } from './ksmd.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));
const MATCHES = 2;

/** Matches the log entry of a change to a mode. @param {string} mode */
const changeTo = (mode) => (/** @type {any} */ entry) =>
  entry.event === 'mode' && entry.message.startsWith(`${mode}:`);

const test = ksmdTests();
test('after a controller was killed, the next one restores the settings', async (t) => {
  const found = readSettings();
  const stateDir = temporaryFolder(t);
  const child = await startChild(t);
  await child.ask('advise');
  const killed = startAuto(stateDir);
  await killed.until(changeTo('burst'));
  assert.equal(readSettings().run, '1');
  assert.notDeepEqual(readSettings(), found);
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');
  assert.equal(readSettings().run, '1', 'not restored yet');

  const next = startAuto(stateDir);
  const recovered = await next.until(({ event }) => event === 'recover');
  assert.equal(recovered.figures.restored.run, '0');
  const started = await next.until(({ event }) => event === 'start');
  assert.deepEqual(started.figures.found, found);
  next.child.kill('SIGTERM');
  const [code] = await once(next.child, 'exit');
  assert.equal(code, 0);
  assert.deepEqual(readSettings(), found);
});

/** @param {string} dataDir */
async function startTv(dataDir) {
  const how = ['--engine', 'process', '--max-matches', String(MATCHES), '--data-dir', dataDir];
  const child = spawn(
    process.execPath,
    [CLI, 'serve', '--host', '127.0.0.1', '--port', '0', '--log-level', 'error', ...how],
    { ...asNobody, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  const found = () => /(http:\/\/127\.0\.0\.1:\d+)[\s\S]*^ {2}code (\w+)$/m.exec(output);
  const ended = once(child, 'exit').then(() => assert.fail(`the TV did not start: ${output}`));
  while (!found()) await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {}); // the test ends the TV later
  const [, url] = /** @type {RegExpExecArray} */ (found());
  const token = readFileSync(join(dataDir, ADMIN_TOKEN_FILE), 'utf8').trim();
  return { child, url, token };
}

const testOfUser = ksmdTests(nobodyMissing);
testOfUser('the controller of root merges the workers of an ordinary user’s TV', async (t) => {
  const found = readSettings();
  const [dataDir, stateDir] = [temporaryFolder(t), temporaryFolder(t)];
  chownSync(dataDir, NOBODY, NOBODY);
  const controller = startController(stateDir);
  const started = startTv(dataDir);
  try {
    const tv = await started;
    for (let i = 0; i < MATCHES; i++) {
      const headers = { authorization: `Bearer ${tv.token}` };
      assert.equal((await post(tv, { game: 'collide' }, headers)).status, 201);
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

    const status = readFileSync(`/proc/${tv.child.pid}/status`, 'latin1');
    assert.match(status, /^Uid:\s+65534\s+65534\s+65534\s+65534$/m);
    assert.match(status, /^CapEff:\s+0+$/m);
    tv.child.kill('SIGTERM');
    await once(tv.child, 'exit');
    const isOff = changeTo('off');
    await controller.until(
      (each) => isOff(each) && each.message.endsWith('nothing is marked any more'),
    );
    controller.child.kill('SIGTERM');
    const [code] = await once(controller.child, 'exit');
    assert.equal(code, 0);
    assert.deepEqual(readSettings(), found);
  } finally {
    const tv = await started.catch(() => undefined);
    for (const child of [tv?.child, controller.child]) {
      if (child?.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    }
  }
});

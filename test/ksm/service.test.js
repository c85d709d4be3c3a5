/**
 * As on a device: the TV is an ordinary user's, the controller is root's, and all they have in common
 * is the kernel.
 */
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMIN_TOKEN_FILE } from '../../app/admin/token.js';
import { readSettings } from '../../ksm/sysfs.js';
import { startController } from './children.js';
import { ksmdMissing, withKsmd } from './ksmd.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));
const NOBODY = 65534;
const MATCHES = 3;

/** @param {string} dataDir */
async function startTv(dataDir) {
  const how = ['--engine', 'process', '--max-matches', String(MATCHES), '--data-dir', dataDir];
  const child = spawn(
    process.execPath,
    [CLI, 'serve', '--host', '127.0.0.1', '--port', '0', '--log-level', 'error', ...how],
    { uid: NOBODY, gid: NOBODY, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  child.stdout.on('data', (text) => (said += text));
  const found = () => /(http:\/\/127\.0\.0\.1:\d+)[\s\S]*^ {2}code (\w+)$/m.exec(said);
  const ended = once(child, 'exit').then(() => assert.fail(`the TV did not start: ${said}`));
  while (!found()) await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {}); // it ends later on
  const [, url] = /** @type {RegExpExecArray} */ (found());
  const token = readFileSync(join(dataDir, ADMIN_TOKEN_FILE), 'utf8').trim();
  return { child, url, token };
}

/** @param {string} url @returns {Promise<Map<string, number>>} */
async function metricsOf(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.split(' ')[0], Number(line.split(' ').at(-1))]));
}

test('two users: the TV is nobody’s, the controller is root’s', { skip: ksmdMissing }, () =>
  withKsmd(async () => {
    const found = readSettings();
    const [dataDir, stateDir] = ['tv', 'ksm'].map((name) =>
      mkdtempSync(join(tmpdir(), `pitv-${name}-`)),
    );
    chownSync(dataDir, NOBODY, NOBODY);
    const controller = startController(stateDir);
    const tv = await startTv(dataDir);
    try {
      for (let i = 0; i < MATCHES; i++) {
        const response = await fetch(`${tv.url}/api/matches`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${tv.token}` },
          body: JSON.stringify({ game: 'collide' }),
        });
        assert.equal(response.status, 201);
      }
      await controller.until(({ event, message }) => event === 'mode' && /^burst/.test(message));
      const entry = await controller.until(
        ({ event, message, figures }) =>
          event === 'mode' && /^trickle/.test(message) && figures.mergeable >= MATCHES,
      );
      assert.ok(entry.figures.profitBytes > 1024 * 1024, JSON.stringify(entry.figures));

      const metrics = await metricsOf(tv.url);
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
      controller.child.kill('SIGTERM');
      const [code] = await once(controller.child, 'exit');
      assert.equal(code, 0);
      assert.deepEqual(readSettings(), found);
    } finally {
      for (const { child } of [tv, controller]) {
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      }
      for (const folder of [dataDir, stateDir]) rmSync(folder, { recursive: true, force: true });
    }
  }),
);

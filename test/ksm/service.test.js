/** A TV of an ordinary user and a controller of root, as on a device. Only the kernel connects them. */
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
import { NOBODY, asNobody, nobodyMissing } from '../support/ordinary-user.js';
import { ksmdMissing, withKsmd } from './ksmd.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));
const MATCHES = 2;

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

/** @param {string} url @returns {Promise<Map<string, number>>} */
async function metricsOf(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.split(' ')[0], Number(line.split(' ').at(-1))]));
}

test(
  'the controller of root merges the workers of an ordinary user’s TV',
  { skip: ksmdMissing || nobodyMissing },
  () =>
    withKsmd(async () => {
      const found = readSettings();
      const [dataDir, stateDir] = ['tv', 'ksm'].map((name) =>
        mkdtempSync(join(tmpdir(), `pitv-${name}-`)),
      );
      chownSync(dataDir, NOBODY, NOBODY);
      const controller = startController(stateDir);
      const started = startTv(dataDir);
      try {
        const tv = await started;
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
        const tv = await started.catch(() => undefined);
        for (const child of [tv?.child, controller.child]) {
          if (child?.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
        }
        for (const folder of [dataDir, stateDir]) rmSync(folder, { recursive: true, force: true });
      }
    }),
);

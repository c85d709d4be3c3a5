import assert from 'node:assert/strict';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { PaperRun } from '../../app/system/paper.js';
import { silentLog } from '../../app/log.js';
import { askAdmin, refusalOf } from '../support/http.js';
import { Client, startTv, temporaryFolder, until } from '../support/tv.js';

/** @param {import('../../app/tv.js').Tv} tv @param {string} path @param {Parameters<typeof askAdmin>[2]} [how] */
const ask = (tv, path, how) => askAdmin(tv, `/system${path}`, how);

test('the facts have addresses, versions, memory, disk and every process', async (t) => {
  const tv = await startTv(t, { args: ['--engine', 'process'] });
  await askAdmin(tv, '/matches', { method: 'POST', json: { game: 'bumper' } });
  const facts = await (await ask(tv, '')).json();
  assert.deepEqual(facts.urls, tv.join.urls);
  assert.equal(facts.versions.node, process.versions.node);
  assert.equal(facts.node.line, Number.parseInt(process.versions.node));
  assert.equal(facts.packages, null); // not a card
  assert.ok(facts.memory.bytes > facts.memory.availableBytes);
  assert.ok(facts.disk.bytes > facts.disk.freeBytes);
  assert.equal(facts.canSwitchOff, false);
  const [main, worker] = facts.processes;
  assert.deepEqual([main.name, main.pid], ['main', process.pid]);
  assert.deepEqual([worker.name, worker.pid], ['worker', tv.lobby.matches[0].pid]);
  assert.ok(worker.pssKib > worker.unreclaimableKib && worker.unreclaimableKib > 1000);
});

test('the history begins at the start, and has memory after the first request for it', async (t) => {
  const tv = await startTv(t, { args: ['--engine', 'thread'] });
  const { history } = tv.services.system;
  const first = await until(async () => {
    const answer = await (await ask(tv, '/history')).json();
    return answer.at.length > 0 && answer;
  }, 'the first sample');
  assert.deepEqual(first.memory, [null]);
  assert.equal(first.columns.matches[0], 0);
  await fetch(`${tv.url}/metrics`);
  await history.record({ p50: 1, p99: 2, max: 3 });
  const next = await (await ask(tv, '/history')).json();
  assert.equal(next.columns.loopP99Ms[1], 2);
  const [key, kib] = next.memory[1];
  assert.equal(next.processes[key].name, 'main');
  assert.ok(kib > 5000);
});

test('a request creates a file for the system, at most once in 30 s; unknown requests are refused', async (t) => {
  const runtimeDir = temporaryFolder();
  const tv = await startTv(t, { args: ['--engine', 'thread', '--runtime-dir', runtimeDir] });
  assert.equal((await ask(tv, '/format', { method: 'POST' })).status, 404);
  assert.equal((await ask(tv, '/reboot')).status, 404, 'not by GET');
  assert.equal((await ask(tv, '/reboot', { method: 'POST' })).status, 202);
  assert.deepEqual((await readdir(runtimeDir)).sort(), ['console', 'reboot']);
  const again = await ask(tv, '/poweroff', { method: 'POST' });
  assert.deepEqual(await refusalOf(again), [429, 'PITV_SYSTEM_BUSY']);
  const other = await startTv(t, { args: ['--engine', 'thread'] });
  const refused = await ask(other, '/reboot', { method: 'POST' });
  assert.equal((await refused.json()).error.code, 'PITV_SYSTEM_NOT_OURS');
});

test('the journal is returned as text, or an error says that there is none', async (t) => {
  const tv = await startTv(t, { args: ['--engine', 'thread'] });
  const answer = await ask(tv, '/journal?lines=5');
  if (answer.status === 200)
    assert.match(String(answer.headers.get('content-type')), /^text\/plain/);
  else assert.equal((await answer.json()).error.code, 'PITV_JOURNAL_MISSING');
  for (const lines of ['0', '-1', '99999', 'all', '5;reboot']) {
    assert.equal((await ask(tv, `/journal?lines=${encodeURIComponent(lines)}`)).status, 400, lines);
  }
});

/** Makes a run that measures with another program. @param {string} source */
function makeRun(source) {
  const dataDir = temporaryFolder({ 'fake.mjs': source });
  const program = join(dataDir, 'fake.mjs');
  const paper = new PaperRun({ dataDir, log: silentLog, command: [program] });
  const ended = () => until(async () => (await paper.state()).runningMs === null, 'its end');
  return { paper, program, ended };
}

test('one measurement runs at a time, reports its progress, and writes a report', async () => {
  const { paper, ended } = makeRun(
    `import { writeFileSync } from 'node:fs';
     console.log('first \\x1b[1mline\\x1b[0m', process.argv.includes('--quick'));
     process.stdin; setTimeout(() => {
       writeFileSync(process.argv[process.argv.indexOf('--out') + 1] + '/report.txt', 'report');
     }, 200);`,
  );
  await assert.rejects(paper.report('report.txt'), { code: 'PITV_NOT_FOUND' });
  await paper.start({ quick: true });
  await assert.rejects(paper.start({ quick: true }), { code: 'PITV_BENCH_BUSY' });
  await ended();
  const { lines, failure, reportAt } = await paper.state();
  assert.deepEqual([lines, failure], [['first line true'], null]);
  assert.ok(Number(reportAt) > 0);
  assert.equal(String(await paper.report('report.txt')), 'report');
  for (const name of ['../fake.mjs', 'fake.mjs', 'toString', 'results.json']) {
    await assert.rejects(paper.report(name), { code: 'PITV_NOT_FOUND' });
  }
});

test('a failed measurement reports the reason and keeps the last report', async () => {
  const { paper, program, ended } = makeRun('console.error("no room"); process.exit(3);');
  await paper.start({ quick: false });
  await ended();
  const { failure, lines } = await paper.state();
  assert.deepEqual([failure, lines], ['It ended with status 3.', ['no room']]);
  await writeFile(program, 'setInterval(() => {}, 1000);');
  await paper.start({ quick: true });
  paper.stop();
  await ended();
  assert.match(String((await paper.state()).failure), /SIGTERM/);
  const nowhere = new PaperRun({ dataDir: '/proc/pitv', log: silentLog });
  await assert.rejects(nowhere.start({ quick: true }), { code: 'PITV_BENCH_NOT_KEPT' });
});

test('the admin uploads an update where the machine installs updates', async (t) => {
  const [runtimeDir, updateDir] = [temporaryFolder(), temporaryFolder()];
  const args = ['--engine', 'thread', '--runtime-dir', runtimeDir, '--update-dir', updateDir];
  const tv = await startTv(t, { args });
  const put = async (/** @type {object} */ where, /** @type {string} */ body) => {
    const path = `/update?${new URLSearchParams({ size: '8', ...where })}`;
    const answer = await ask(tv, path, { method: 'PUT', body });
    return { status: answer.status, ...(await answer.json()) };
  };
  assert.equal((await put({ offset: 0 }, 'x'.repeat((1 << 20) + 1))).status, 413);
  for (const where of [{}, { offset: -1 }]) assert.equal((await put(where, 'x')).status, 400);
  const { upload } = await put({ offset: 0 }, 'bund');
  assert.equal((await put({ offset: 4, upload }, 'le 2')).status, 200);
  assert.equal(await readFile(tv.services.system.updates.file, 'utf8'), 'bundle 2');
  const request = join(runtimeDir, 'update');
  assert.equal(await readFile(request, 'utf8'), 'upload');
  await rm(request); // the service has taken it
  const look = await ask(tv, '/update/look', { method: 'POST' });
  assert.equal(look.status, 409, 'no address is set');
  const again = await ask(tv, '/update/again', { method: 'POST' });
  assert.equal(again.status, 202);
  assert.equal(await readFile(request, 'utf8'), 'again');
});

test('the admin sets the volume of all screens, of those that open later, and after a restart', async (t) => {
  const dataDir = temporaryFolder();
  const args = ['--engine', 'thread', '--volume', '40'];
  const tv = await startTv(t, { args, dataDir });
  const screen = await Client.screen(tv);
  const setVolume = (/** @type {unknown} */ percent, headers = {}) =>
    ask(tv, '/volume', { method: 'POST', json: { percent }, headers });
  const pageVolume = async () =>
    (await (await fetch(`${tv.url}/`)).text()).match(/data-volume="(\d+)"/)?.[1];
  assert.equal((await (await ask(tv, '')).json()).volume, 40);
  for (const wrong of [101, -1, 2.5, '50', undefined])
    assert.equal((await setVolume(wrong)).status, 400, String(wrong));
  assert.equal((await setVolume(10, { authorization: 'Bearer x' })).status, 401);
  assert.equal((await setVolume(10)).status, 204);
  assert.equal((await screen.next('volume')).percent, 10);
  await until(async () => (await pageVolume()) === '10', 'a new page has the volume');
  const saved = () => readFile(join(dataDir, 'people.json'), 'utf8').catch(() => '');
  await until(async () => (await saved()).includes('"volume":10'), 'it is saved');
  await tv.stop();
  const next = await startTv(t, { args, dataDir });
  assert.equal(next.server.hub.screens.volume, 10);
});

/**
 * A TV in a process of its own, for the `ksm` scenario: `node tv.js '{"engine", "level", "matches"}'`.
 * Tells its parent {url, code} once it is on, answers each message with what its workers have done so
 * far, ends when the parent does.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '../../../app/config/parse.js';
import { silentLog } from '../../../app/log.js';
import { keepHeapSmall } from '../../../app/process/memory-tuning.js';
import { createTv } from '../../../app/create-tv.js';

/** @type {{engine: string, level: string, matches: number}} */
const { engine, level, matches } = JSON.parse(process.argv[2]);
keepHeapSmall(); // as `pitv serve` does
const dataDir = mkdtempSync(join(tmpdir(), 'pitv-bench-ksm-'));
const where = ['--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir];
const how = ['--engine', engine, '--ksm', level, '--max-matches', String(matches)];
// thorough: a zygote is warm before it forks, as it is in a TV that has been on for a while.
const settings = parseSettings([...where, ...how], {});
const tv = await createTv(settings, silentLog, { thorough: true });
await tv.start();

process.on('message', () => {
  process.send?.(
    tv.engine.workers.map(({ mailbox: { tick, lateTicks } }) => ({ ticks: tick, lateTicks })),
  );
});
process.on('disconnect', async () => {
  await tv.stop();
  rmSync(dataDir, { recursive: true, force: true });
  process.exit();
});
process.send?.({ url: tv.url, code: tv.code });

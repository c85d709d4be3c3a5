/**
 * A TV in a process of its own, for the `ksm` scenario: `node tv.js '{"level", "matches"}'`. Tells its
 * parent {url, code} once it is on, answers each message with what its workers have done so far, ends
 * when the parent does.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '../../app/config.js';
import { silentLog } from '../../app/log.js';
import { keepHeapSmall } from '../../app/small-heap.js';
import { createTv } from '../../app/tv.js';

/** @type {{level: string, matches: number}} */
const { level, matches } = JSON.parse(process.argv[2]);
keepHeapSmall(); // as `pitv serve` does
const dataDir = mkdtempSync(join(tmpdir(), 'pitv-bench-ksm-'));
const where = ['--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir];
const how = ['--engine', 'process', '--ksm', level, '--max-matches', String(matches)];
const tv = await createTv(parseSettings([...where, ...how], {}), silentLog);
await tv.start();

process.on('message', () => {
  process.send?.(
    tv.engine.workers.map(({ pid, mailbox }) => ({
      pid,
      ticks: mailbox.tick,
      lateTicks: mailbox.lateTicks,
    })),
  );
});
process.on('disconnect', async () => {
  await tv.stop();
  rmSync(dataDir, { recursive: true, force: true });
  process.exit();
});
process.send?.({ url: tv.url, code: tv.code });

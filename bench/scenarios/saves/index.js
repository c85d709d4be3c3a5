/**
 * Measures what saving a running match each second writes to the disk: the blocks that the main process hands to the
 * file system (write_bytes in proc_pid_io(5)). The file system's own journal and the card's larger erase blocks come on
 * top.
 */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { PitvError } from '../../../app/errors.js';
import { startClients, startTv } from '../../harness/remote-tv.js';
import { writtenBytes } from '../../machine/proc.js';

const GAMES = Object.freeze(['bumper', 'swarm']);
const PADS = 4;
const INTERVAL_S = 1;
const MS_PER_HOUR = 3_600_000;
const BYTES_PER_MB = 1e6;
const TMPFS_MAGIC = 0x01021994;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'saves',
  title: `What a match with ${PADS} players writes to the disk that is saved every second`,
  measures: ['app/storage', 'app/match/saved-match.js', 'app/engine/mailbox', 'app/games'],
  reference: 'bumper',
  metrics: [{ name: 'written', unit: 'MB/h', compare: false }],

  configurations: () => GAMES.map((variant) => ({ variant })),

  // settle: longer than the countdown, and until Swarm's first wave is complete
  phases: { settle: [6000, 6000], measure: [30_000, 10_000] },
  starts: () => 12,

  async sample({ variant }, { phases, after }) {
    if (statfsSync(tmpdir()).type === TMPFS_MAGIC) {
      const why = `${tmpdir()} is in memory. Set TMPDIR to a folder on a disk.`;
      throw new PitvError('PITV_BENCH_UNSUPPORTED', why);
    }
    const flags = ['--checkpoint-seconds', String(INTERVAL_S)];
    const tv = await startTv({ engine: 'zygote', matches: 1, flags });
    after(tv.stop);
    const counts = { screens: 1, pads: PADS, matches: 1 };
    after((await startClients(tv, { game: variant, ...counts })).stop);
    await sleep(phases.settle);
    const before = writtenBytes(tv.pid);
    const began = performance.now();
    await sleep(phases.measure);
    const bytes = writtenBytes(tv.pid) - before;
    if (bytes === 0) throw new Error('nothing was saved');
    const hours = (performance.now() - began) / MS_PER_HOUR;
    return { metrics: { written: bytes / BYTES_PER_MB / hours } };
  },
};

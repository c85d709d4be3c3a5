/** Makes the updates that updates.js installs. */
import { randomFillSync } from 'node:crypto';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NOT_STARTED } from '../../../app/system/rauc.js';
import { systemName } from '../../../image/boards.js';
import { SLOT_PARTITIONS, partition } from '../../../image/sd/card.js';
import { run, runAsRoot } from '../../../image/sd/shell.js';
import { makeBundle } from '../../../image/update/bundle.js';
import { writeTree } from '../../support/folders.js';
import { writeAt } from '../files.js';

/** Versions of the updates. */
export const GOOD = '8.0.0';
const BROKEN = '9.0.0';
const SILENT = '9.0.1';
const STILL = '9.0.2';
const OLDER = '0.0.9';

const MIB = 1024 * 1024;
/** How long a new system waits for its TV, in the update whose TV does not answer. */
const SILENT_MS = 20_000;

/** Updates that are refused, and why. ../update.test.js has more, which need no board. */
export const REFUSED = Object.freeze({
  older: /version 0\.0\.9 is older than the running/,
  'wrong-system': /compatible/i,
  'too-large': /large|small|size/i,
  damaged: /./,
});

/**
 * Updates whose systems do not work. `failure` is shown by the serial line; `words` are for the kernel's command line.
 * @type {readonly {title: string, bundle: string, failure: RegExp, version: string, reason: string,
 *   words?: string[]}[]}
 */
export const FAILING = Object.freeze([
  {
    title: 'one that does not start',
    bundle: 'broken',
    failure: /Kernel panic/,
    version: BROKEN,
    reason: NOT_STARTED,
  },
  {
    title: 'one whose TV does not answer',
    bundle: 'silent',
    failure: /Failed to start.*pitv-confirm/,
    version: SILENT,
    reason: 'the TV did not answer',
  },
  {
    title: 'one that hangs',
    bundle: 'still',
    failure: /softdog: Initiating system reboot/,
    version: STILL,
    reason: NOT_STARTED,
    words: ['systemd.watchdog_device=/dev/watchdog1'], // the one in software
  },
]);

/**
 * Makes a good update, and those of REFUSED and FAILING, each with the suffix `.raucb`.
 * @param {string} folder
 * @param {object} parts
 * @param {string} parts.board
 * @param {Awaited<ReturnType<typeof import('../../../image/build.js').buildCard>>} parts.made its card
 * @param {import('../../../image/update/key.js').UpdateKey} parts.key that the card trusts
 * @param {string} parts.work folder for temporary files
 */
export async function makeBundles(folder, { board, made, key, work }) {
  const { card, root } = made;
  const images = { boot: join(card.folder, 'slot.img'), root: join(root.folder, 'root.squashfs') };
  const small = { boot: join(work, 'small.img'), root: join(work, 'small.img') };
  await writeFile(small.boot, randomFillSync(Buffer.alloc(MIB)));
  const large = join(work, 'large.img');
  await writeFile(large, '');
  await truncate(large, (partition('root-b', SLOT_PARTITIONS).sizeMib + 1) * MIB);
  const empty = join(work, 'empty.squashfs');
  writeTree(work, { 'empty/etc/fstab': '' });
  await run('mksquashfs', [join(work, 'empty'), empty, '-noappend', '-quiet', '-comp', 'lz4']);
  const base = { system: systemName(board), version: BROKEN, key };
  for (const [name, update] of Object.entries({
    good: { version: GOOD, images },
    broken: { images: { ...images, root: empty } },
    silent: { version: SILENT, images: { ...images, root: await changeRoot(SILENCE, 'silent') } },
    still: { version: STILL, images: { ...images, root: await changeRoot(STILLNESS, 'still') } },
    older: { version: OLDER, images: small },
    'wrong-system': { images: small, system: systemName(board, { kiosk: true }) },
    'too-large': { images: { ...small, root: large } },
    damaged: { images: small },
  })) {
    await makeBundle({ ...base, ...update, file: join(folder, `${name}.raucb`) });
  }
  writeAt(join(folder, 'damaged.raucb'), 256, Buffer.alloc(64, 'x'));

  /** Makes a changed root. @param {string} change a script; $1: the root's folder @param {string} name */
  async function changeRoot(change, name) {
    const file = join(work, `${name}.squashfs`);
    const script = `set -e
      unsquashfs -q -n -d "$1" "$2"
      ${change}
      mksquashfs "$1" "$3" -noappend -quiet -no-progress -comp lz4 -no-xattrs >/dev/null
      rm -r "$1"`;
    await runAsRoot('sh', ['-c', script, 'sh', `${file}.root`, images.root, file]);
    return file;
  }
}

/** Changes a root, so that its TV ends at once, and is waited for less than ten minutes. */
const SILENCE = `
  printf '[Service]\nExecStart=\nExecStart=/bin/false\n' >"$1/usr/lib/systemd/system/pitv.service.d/silent.conf"
  confirm=$1/usr/lib/pitv/app/commands/update/confirm.js
  sed -i 's/^const ANSWER_MS = .*/const ANSWER_MS = ${SILENT_MS};/' "$confirm"
  grep -q 'ANSWER_MS = ${SILENT_MS};' "$confirm"`;

/**
 * Changes a root, so that systemd stops before the TV is there. The board's watchdog cannot be emulated, so there is
 * one in software.
 */
const STILLNESS = `
  unit=$1/usr/lib/systemd/system/stillness.service
  printf '[Unit]\nBefore=pitv.service\n[Service]\nType=oneshot\nExecStart=/sbin/modprobe softdog\n' >"$unit"
  printf 'ExecStart=/bin/sleep 20\nExecStart=/bin/kill -SEGV 1\nExecStart=/bin/sleep 600\n' >>"$unit"
  printf '[Unit]\nRequires=stillness.service\n' >"$1/usr/lib/systemd/system/pitv.service.d/stillness.conf"`;

/**
 * Prepares the heaps before a zygote forks. A page that a child writes to is copied. So work that V8 and the C library
 * postpone, and that every child would otherwise do, is done here.
 */
import { getHeapCodeStatistics, getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { IS_OLD } from './compiler.js';

const collectGarbage = /** @type {((options?: object) => void) | undefined} */ (globalThis.gc);
Reflect.deleteProperty(globalThis, 'gc');

/** Property names are created in batches; each name takes some 100 bytes. */
const NAMES_PER_BATCH = 2000;
const MAX_NAMES = 1_000_000;
/** Size of a page of V8. It may add one page while others still have room. */
const PAGE_BYTES = 256 * 1024;

/** V8's flag that makes a full garbage collection move objects together and free the pages in between. */
const COMPACT = 'compact-on-every-full-gc';

/** Collects garbage, compacts the heap and fills the holes in it. */
export function compactHeap() {
  setFlagsFromString(`--${COMPACT}`);
  // Newer versions keep freed pages for later, which each fork() would map: 40 % of the zygote's memory. A last-resort
  // collection gives them back.
  collectGarbage?.(IS_OLD ? undefined : { type: 'major', flavor: 'last-resort' });
  setFlagsFromString(`--no-${COMPACT}`); // in a child, compaction would copy all pages
  getHeapCodeStatistics(); // visits all objects, so V8 sweeps all pages first
  fillOldSpace();
}

/**
 * Finishes pending work of V8 and fills the holes in malloc's heap. Call it last.
 * @param {import('../../../native/native.js').Native} addon
 */
export async function settleHeap(addon) {
  for (let i = 0; i < 2; i++) collectGarbage?.({ type: 'minor' }); // empties new space
  // V8 runs its tasks for the main thread in the next turns of the event loop. A child would never run them:
  // uv_loop_fork() drops the pending wake-up, and V8 does not send another one.
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  addon.fillHoles();
}

/**
 * Allocates until V8 has used up all free space in old space and maps another page. V8 sweeps a page, which writes to
 * it, only when it needs memory; in a child that would copy the page. The allocated space was already mapped, and
 * objects that a child creates later are next to each other in few pages.
 */
function fillOldSpace() {
  const before = oldSpaceBytes();
  for (let n = 0; oldSpaceBytes() <= before + PAGE_BYTES && n < MAX_NAMES; n += NAMES_PER_BATCH) {
    /** @type {Record<string, number>} */
    const names = Object.create(null); // V8 allocates property names in old space
    for (let i = 0; i < NAMES_PER_BATCH; i++) {
      names[`an unused property name that only fills free space, number ${n + i}`] = i;
    }
  }
}

function oldSpaceBytes() {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
  return space?.space_size ?? 0;
}

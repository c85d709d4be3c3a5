/**
 * The heaps before a zygote stands still. A page that a child writes to is copied for it, so whatever
 * V8 and the C library put off until later, and would then do in every child, is done here.
 */
import { getHeapCodeStatistics, getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const collectGarbage = /** @type {((options?: object) => void) | undefined} */ (globalThis.gc);
Reflect.deleteProperty(globalThis, 'gc');

/** Names are made so many at a time, some 100 bytes each. */
const NAMES = 2000;
const MAX_NAMES = 1_000_000;
/** V8's own pages. The first new one may come while there is room left in others. */
const PAGE_BYTES = 256 * 1024;

/** Moves all objects together, and gives back what is left in between. */
const COMPACT = 'compact-on-every-full-gc';

export function collect() {
  setFlagsFromString(`--${COMPACT}`);
  collectGarbage?.();
  collectGarbage?.(); // finds what the first one has only made unreachable
  setFlagsFromString(`--no-${COMPACT}`); // in a child it would be a copy of everything
  getHeapCodeStatistics(); // walks over all objects, for which V8 sweeps every page first
  fillOldSpace();
}

/**
 * The last thing of all.
 * @param {import('../../../native/native.js').Native} addon
 */
export async function settle(addon) {
  for (let i = 0; i < 2; i++) collectGarbage?.({ type: 'minor' }); // nothing is left in new space
  // What V8 left for the main thread to do is done in the next turns of the loop. A child would not
  // come to it: uv_loop_fork() forgets who had been told to look, and V8 waits before it asks again.
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  addon.fillHoles();
}

/**
 * A collection sweeps nothing by itself: that is done page by page when memory is needed, and writes
 * all over them. So memory is asked for until V8 has found all there is and gets more from the system.
 * It is wasted, but it was there anyway; and what a child makes later lies side by side, in few pages.
 */
function fillOldSpace() {
  const before = oldSpaceBytes();
  for (let made = 0; oldSpaceBytes() <= before + PAGE_BYTES && made < MAX_NAMES; made += NAMES) {
    /** @type {Record<string, number>} */
    const names = Object.create(null); // names of properties go to old space
    for (let i = 0; i < NAMES; i++) {
      names[`a name of a property that nobody asks for, number ${made + i}`] = i;
    }
  }
}

function oldSpaceBytes() {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
  return space?.space_size ?? 0;
}

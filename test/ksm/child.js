/**
 * A process that a test controls by IPC: it receives {do, ...} and answers {done: result}. It has 8 MiB of memory in
 * which page n is filled with n + 1, so that two such processes have 2,048 equal pages.
 */
import {
  adviseMergeable,
  getMemoryMerge,
  keepMarked,
  setMemoryMerge,
  unmerge,
} from '../../ksm/advise.js';
import { aslrIsOff } from '../../ksm/layout.js';

const PAGE = 4096;
const PAGES = 2048;
/** @type {ArrayBuffer[]} */
const grown = [];
const memory = new Uint32Array((PAGES * PAGE) / 4);
for (let page = 0; page < PAGES; page++) fill(page, page + 1);

/** @param {number} page @param {number} value */
function fill(page, value) {
  memory.fill(value, (page * PAGE) / 4, ((page + 1) * PAGE) / 4);
}

/** Counts pages with wrong content. @param {number} first expected value of page 0 @returns {number} */
function countDamaged(first = 1) {
  let wrong = 0;
  for (let page = 0; page < PAGES; page++) {
    const value = page === 0 ? first : page + 1;
    const words = memory.subarray((page * PAGE) / 4, ((page + 1) * PAGE) / 4);
    if (words.some((word) => word !== value)) wrong++;
  }
  return wrong;
}

/** @type {Record<string, (details: any) => unknown>} */
const ACTIONS = {
  advise: () => {
    const { mappings, bytes, refused } = adviseMergeable();
    return { mappings, bytes, refused: refused.length };
  },
  keepMarked: () => void keepMarked({ intervalMs: 5 }),
  grow: ({ bytes }) => void grown.push(new ArrayBuffer(bytes)),
  unmerge: () => unmerge().refused.length,
  setMemoryMerge: ({ on }) => setMemoryMerge(on),
  getMemoryMerge: () => getMemoryMerge(),
  write: ({ page, value }) => fill(page, value),
  damaged: ({ first }) => countDamaged(first),
  aslrIsOff: () => aslrIsOff(),
};

process.on('message', (/** @type {{do: string}} */ message) => {
  process.send?.({ done: ACTIONS[message.do](message) ?? null });
});
process.send?.({ done: 'ready' });

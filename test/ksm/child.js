/**
 * A process that does over IPC what a test asks of it: {do, ...} in, {done: ...} out. It holds 8 MiB
 * in which page n is filled with n, so that two of these have the same 2,048 pages.
 */
import { adviseMergeable, getMemoryMerge, setMemoryMerge, unmerge } from '../../ksm/advise.js';
import { aslrIsOff } from '../../ksm/layout.js';

const PAGE = 4096;
const PAGES = 2048;
const memory = new Uint32Array((PAGES * PAGE) / 4);
for (let page = 0; page < PAGES; page++) fill(page, page + 1);

/** @param {number} page @param {number} value */
function fill(page, value) {
  memory.fill(value, (page * PAGE) / 4, ((page + 1) * PAGE) / 4);
}

/** @returns {number} pages whose content is not what it should be; page 0's may be given */
function damaged(first = 1) {
  let wrong = 0;
  for (let page = 0; page < PAGES; page++) {
    const value = page === 0 ? first : page + 1;
    const words = memory.subarray((page * PAGE) / 4, ((page + 1) * PAGE) / 4);
    if (words.some((word) => word !== value)) wrong++;
  }
  return wrong;
}

/** @type {Record<string, (asked: any) => unknown>} */
const ACTIONS = {
  advise: () => {
    const { mappings, bytes, refused, passedOver } = adviseMergeable();
    return { mappings, bytes, refused: refused.length, passedOver };
  },
  unmerge: () => unmerge().refused.length,
  setMemoryMerge: ({ on }) => setMemoryMerge(on),
  getMemoryMerge: () => getMemoryMerge(),
  write: ({ page, value }) => fill(page, value),
  damaged: ({ first }) => damaged(first),
  aslrIsOff: () => aslrIsOff(),
};

process.on('message', (/** @type {{do: string}} */ asked) => {
  process.send?.({ done: ACTIONS[asked.do](asked) ?? null });
});
process.send?.({ done: 'ready' });

/**
 * Prints how much memory a zygote's child no longer shares, by region, and the number of its page faults:
 * `node bench/scenarios/memory/zygote-pages.js GAME [SECONDS,...]`. To find the code that causes the faults, run
 * `perf record -e page-faults -c 1 --call-graph dwarf -p ZYGOTE`.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEngine } from '../../../app/engine/index.js';

const MINOR_FAULTS = 7; // index of a field of /proc/PID/stat after the name (proc(5))
const MMAP_AREA = 0x7000_0000_0000; // libraries, stacks, malloc's arenas; V8's heap lies below

const [game = 'bumper', moments = '0,10,30'] = process.argv.slice(2);
const url = new URL(`../../../app/games/${game}.js`, import.meta.url);
const { default: job } = await import(url.href);
const engine = await createEngine('zygote', { modules: [url], thorough: true });
const options = { seed: 1, match: 1 };
const worker = await engine.start(url, { sizes: job.sizes(options), options, name: game });
console.log(`${game}: ready after ${worker.startup.readyMs.toFixed(1)} ms; KiB private and dirty:`);
const readings = [];
let passed = 0;
for (const seconds of moments.split(',').map(Number)) {
  await sleep((seconds - passed) * 1000);
  passed = seconds;
  readings.push({
    'at [s]': seconds,
    ...regionsOf(worker.pid),
    'minor faults': faultsOf(worker.pid),
  });
}
console.table(readings);
await engine.close();

/** @param {number} pid @returns {Record<string, number>} KiB */
function regionsOf(pid) {
  /** @type {Record<string, number>} */
  const sums = { all: 0, 'V8 heap': 0, malloc: 0, 'machine code': 0, mailbox: 0, other: 0 };
  let region = 'other';
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'latin1').split('\n')) {
    const head = /^([0-9a-f]+)-[0-9a-f]+ (\S+) \S+ \S+ \S+\s*(.*)$/.exec(line);
    if (head) region = regionName(head[3], head[2], parseInt(head[1], 16));
    const kib = Number(/^Private_Dirty:\s+(\d+)/.exec(line)?.[1] ?? 0);
    sums[region] += kib;
    sums.all += kib;
  }
  return sums;
}

/** @param {string} name @param {string} permissions @param {number} address */
function regionName(name, permissions, address) {
  if (name.includes('memfd:pitv')) return 'mailbox';
  if (name === '[heap]') return 'malloc';
  if (name !== '') return 'other'; // stack; data of programs and libraries
  if (permissions.includes('x')) return 'machine code';
  return address < MMAP_AREA ? 'V8 heap' : 'other';
}

/** @param {number} pid */
function faultsOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[MINOR_FAULTS]);
}

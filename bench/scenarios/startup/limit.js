/** Forks a C program that has the memory and the mappings of a zygote: no fork of it can be ready sooner. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readText, statOf } from '../../../app/process/process-tree.js';
import { PitvError } from '../../../app/errors.js';
import { compile } from '../../harness/compile.js';
import { median } from '../../stats/stats.js';

const SOURCE = fileURLToPath(new URL('limit.c', import.meta.url));
/** Indexes in what statOf() returns: the parent, and page faults without input or output. */
const PARENT = 1;
const FAULTS = 7;

/** @typedef {{anonymousKib: number, mappings: number, faults: number}} Size */

/**
 * Returns the size of the zygote of a child, and how many pages the child has copied or mapped.
 * @param {number} child pid of one that has just become ready @returns {Size}
 */
export function sizeOf(child) {
  const fields = statOf(child);
  const zygote = Number(fields[PARENT]);
  const mappings = readText(`/proc/${zygote}/maps`)?.match(/\n/g)?.length ?? 0;
  const [, anonymousKib] =
    /^RssAnon:\s+(\d+)/m.exec(readText(`/proc/${zygote}/status`) ?? '') ?? [];
  return { anonymousKib: Number(anonymousKib), mappings, faults: Number(fields[FAULTS]) };
}

/**
 * Measures forks of a program of a size. The first one is left out.
 * @param {Size} size @param {number} count of forks @param {number} restMs before each
 * @returns {{call: number, ready: number}} medians, ms
 * @throws {PitvError} PITV_BENCH_COMPILER, PITV_BENCH_UNSUPPORTED
 */
export function measureLimit({ anonymousKib, mappings, faults }, count, restMs) {
  const args = [anonymousKib, mappings, faults, count + 1, restMs].map(
    (value) => `${Math.round(value)}`,
  );
  const { status, stdout, stderr } = spawnSync(compile('fork-limit', SOURCE), args, {
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new PitvError('PITV_BENCH_UNSUPPORTED', `The C program ended: ${stderr.trim()}`);
  const lines = stdout.trim().split('\n').slice(1);
  const [calls, readies] = [0, 1].map((column) =>
    lines.map((line) => Number(line.split(' ')[column])),
  );
  return { call: median(calls), ready: median(readies) };
}

/** Counts how packages ended, by the kinds of their actions, and prints it as Markdown. */
import { availableParallelism } from 'node:os';
import { markdownTable } from '../../../bench/report/markdown.js';
import { KINDS } from './package-actions.js';

/** How a package ends: column by what happened. */
const ENDS = {
  'left out': 'left out when read',
  'not started': 'did not start',
  failed: 'ended by the TV',
  done: 'said that it was over',
  restarted: 'restarted, then stopped',
  stopped: 'stopped by its owner',
};
const ALL = 'all';
const MAX_SENTENCES = 25;
const MAX_TEXT = 1000;
const NEIGHBOUR = ['neighbour', 's', 'frames', 'ticks', 'late ticks', 'gap p99, ms', 'gap max, ms'];

/** @typedef {ReturnType<import('./tv-watch.js').Windows['summary']>} Summary */

export class PackageTally {
  /** Counts by kind, then by end. @type {Record<string, Record<string, number>>} */
  #counts = {};
  /** Counts of why packages were left out, did not start or were ended. @type {Map<string, number>} */
  #why = new Map();

  /** @param {import('./package-actions.js').Package} actions @param {string} end one of ENDS @param {string} [why] */
  add(actions, end, why) {
    for (const kind of new Set([ALL, ...actions.map((action) => action.kind)])) {
      const counts = (this.#counts[kind] ??= {});
      counts[end] = (counts[end] ?? 0) + 1;
    }
    if (why) this.addProblem(why);
  }

  /** @param {string} sentence */
  addProblem(sentence) {
    const sort = sentence
      .slice(0, MAX_TEXT)
      .replace(/\S*\/packages-\S*\//g, '')
      .replace(/\bp?\d+\b/g, 'N')
      .replace(/x{9,}/g, 'xxx')
      .slice(0, 120)
      .replace(/[|\n]/g, ' ');
    this.#why.set(sort, (this.#why.get(sort) ?? 0) + 1);
  }

  /**
   * @param {{windows: Summary[], stalls: import('./tv-watch.js').Stalls, rss: number[]}} measured
   * @returns {string}
   */
  print({ windows, stalls, rss }) {
    const ends = Object.keys(ENDS);
    const kinds = [...KINDS, ALL].map((kind) => {
      const counts = this.#counts[kind] ?? {};
      const sum = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return [kind, sum, ...ends.map((end) => counts[end] ?? 0)];
    });
    const rows = windows.map(({ name, seconds, frames, ticks, lateTicks, p99, max }) => {
      const shares = [ticks, lateTicks].map((part) => `${(part * 100).toFixed(1)} %`);
      const gaps = [p99.toFixed(0), max.toFixed(0)];
      return [name, seconds.toFixed(0), frames, ...shares, ...gaps];
    });
    const { found, total } = stalls;
    const longest = Math.round(Math.max(0, ...found.map(({ ms }) => ms)));
    const stolen = found.filter(({ ms, stolenMs }) => stolenMs > ms / 2);
    const share = ((100 * total.stolenMs) / (total.ms * availableParallelism())).toFixed(1);
    const why = [...this.#why].sort(([, a], [, b]) => b - a).slice(0, MAX_SENTENCES);
    return [
      markdownTable(['packages with', 'number', ...Object.values(ENDS)], kinds, 1),
      '',
      markdownTable(NEIGHBOUR, rows, 1),
      '',
      `Memory of the TV (RSS), MiB: ${rss.map((bytes) => Math.round(bytes / 2 ** 20)).join(' before, ')} after.`,
      `Stalls of the main thread over 50 ms: ${found.length}, the longest ${longest} ms; in ${stolen.length} of them the hypervisor had a core for more than half of the time.`,
      `The hypervisor took ${share} % of the cores' time in these windows.`,
      '',
      markdownTable(
        ['packages', 'sentence'],
        why.map(([sentence, count]) => [count, sentence]),
      ),
    ].join('\n');
  }
}

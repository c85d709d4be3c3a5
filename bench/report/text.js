/** Numbers and groups as people read them; shared by the terminal's and the page's report. */

/** Three or more significant digits, no exponent. @param {number} value */
export function digits(value) {
  if (value === 0) return '0';
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 6));
}

/** @param {[number, number]} interval */
export const range = ([low, high]) => `${digits(low)}..${digits(high)}`;

/** @template T @param {T[]} items @param {(item: T) => string} key @returns {Map<string, T[]>} */
export function groupBy(items, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return groups;
}

/** @param {{runs: number, warmUps: number, quick: boolean, seed: number}} method in one sentence */
export function methodLine({ runs, warmUps, quick, seed }) {
  const warm =
    warmUps > 0 ? `, the first ${warmUps === 1 ? 'round' : `${warmUps} rounds`} thrown away` : '';
  return `${runs} ${runs === 1 ? 'run' : 'runs'} of each${quick ? ' (quick)' : ''}, shuffled in each round (seed ${seed})${warm}; medians with 95 % bootstrap intervals`;
}

/** @param {import('./results.js').Results['machine']} machine */
export function machineLine({ node, arch, cores, cpu, board, kernel, virtual }) {
  const what = board ?? cpu ?? 'unknown CPU';
  const how = isEmulated(virtual) ? ` (${virtual})` : ' (virtual)';
  return `Node ${node} ${arch}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${what}${virtual ? how : ''}, Linux ${kernel}`;
}

/**
 * Another machine's processor, acted in software: its times are not a machine's.
 * @param {string | null} virtual of the machine's facts
 */
export const isEmulated = (virtual) => /^emulated\b/.test(virtual ?? '');

/** Formats numbers, methods and machines for all reports. */

/** Formats a number with three or more significant digits and no exponent. @param {number} value */
export function digits(value) {
  if (value === 0) return '0';
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 6));
}

/** @param {[number, number]} interval */
export const range = ([low, high]) => `${digits(low)}..${digits(high)}`;

/** Groups items by a key. @template T @param {T[]} items @param {(item: T) => string} key @returns {Map<string, T[]>} */
export function groupBy(items, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return groups;
}

/** Describes a method in one sentence. @param {{runs: number, warmUps: number, quick: boolean, seed: number}} method */
export function methodLine({ runs, warmUps, quick, seed }) {
  const brief = quick ? ' (quick)' : '';
  if (runs === 1)
    return `1 run of each${brief}, in random order (seed ${seed}); single values, no intervals`;
  const warm =
    warmUps > 0 ? `, after ${warmUps === 1 ? 'a round' : `${warmUps} rounds`} for warming up` : '';
  return `${runs} runs of each${brief}, shuffled in each round (seed ${seed})${warm}; medians with 95 % bootstrap intervals`;
}

/** Describes a machine in one line. @param {import('./results.js').Results['machine']} machine */
export function machineLine(machine) {
  const { node, arch, cores, cpu, board, kernel, virtual } = machine;
  const what = board ?? cpu ?? 'unknown CPU';
  const how = isEmulated(virtual) ? ` (${virtual})` : ' (virtual)';
  return `Node ${node} ${arch}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${what}${virtual ? how : ''}, Linux ${kernel}${isAslrOff(machine) ? ', ASLR off' : ''}`;
}

/** Whether the kernel randomises no addresses. Pages of processes are then alike, so KSM saves more. @param {{aslr: number | null}} machine */
export const isAslrOff = ({ aslr }) => aslr === 0;

/** Whether the processor is emulated in software, so that times are not those of a machine. @param {string | null} virtual */
export const isEmulated = (virtual) => /^emulated\b/.test(virtual ?? '');

/** Compares versions of npm packages: https://semver.org/#spec-item-11. */

/** A number as it is, a text as it is. @param {string} part @returns {number | string} */
const partOf = (part) => (/^\d+$/.test(part) ? Number(part) : part);

/** Splits a version into its numbers and its pre-release. @param {string} version */
function split(version) {
  const [text] = version.replace(/^v/, '').split('+');
  const at = text.indexOf('-');
  const core = at < 0 ? text : text.slice(0, at);
  const numbers = core.split('.').map(Number);
  return {
    numbers,
    before:
      at < 0
        ? []
        : text
            .slice(at + 1)
            .split('.')
            .map(partOf),
  };
}

/**
 * Compares two versions.
 * @param {string} a @param {string} b missing numbers count as 0
 * @returns {number} below 0 if a is the earlier one, 0 if they are equal, above 0 otherwise
 */
export function compareVersions(a, b) {
  const [left, right] = [split(a), split(b)];
  for (let index = 0; index < 3; index++) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A version without a pre-release is later than its pre-releases.
  if (left.before.length === 0 || right.before.length === 0)
    return right.before.length - left.before.length;
  const count = Math.max(left.before.length, right.before.length);
  for (let index = 0; index < count; index++) {
    const order = compareParts(left.before[index], right.before[index]);
    if (order !== 0) return order;
  }
  return 0;
}

/**
 * Compares parts of a pre-release: a missing one is earlier, and numbers are earlier than texts.
 * @param {number | string | undefined} a @param {number | string | undefined} b
 */
function compareParts(a, b) {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  return a < b ? -1 : 1;
}

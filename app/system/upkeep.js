/** How long the Node.js that runs the TV gets corrections, and how old the packages of the card are. */

/** The ends of Node.js's release lines, https://github.com/nodejs/Release. */
const LINE_ENDS = Object.freeze({
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
});

/** Age of the packages from which an update is due. */
const DUE_DAYS = 45;
const DAY_MS = 86_400_000;

/**
 * Returns the line of a Node.js, and until when the Node.js project corrects it.
 * @param {string} version @param {object} machine
 * @param {boolean} machine.isShared whether V8 and Node.js are a shared library, as Debian builds them
 * @param {string} [machine.system] the name of the system @param {Date} [now]
 * @returns {{line: number, end: string, hasEnded: boolean, isDebians: boolean} | null} end: YYYY-MM-DD. isDebians:
 *   Debian corrects it as long as its own release. null: the end of the line is not known
 */
export function nodeSupport(version, { isShared, system = '' }, now = new Date()) {
  const line = Number.parseInt(version, 10);
  const end = /** @type {Record<number, string>} */ (LINE_ENDS)[line];
  if (end === undefined) return null;
  const isDebians = isShared && /^(Debian|Raspbian) /.test(system);
  return { line, end, hasEnded: now.toISOString().slice(0, 10) > end, isDebians };
}

/**
 * Returns the age of a card's packages, by the newest of their lists.
 * @param {{date: string}[]} suites @param {Date} [now]
 * @returns {{days: number, isDue: boolean} | null} isDue: whether an update is due. null: not known
 */
export function packagesAge(suites, now = new Date()) {
  const newestMs = Math.max(...suites.map(({ date }) => Date.parse(date)));
  if (!Number.isFinite(newestMs)) return null;
  // The clock of a board can be wrong until it has a network.
  const days = Math.max(0, Math.floor((now.getTime() - newestMs) / DAY_MS));
  return { days, isDue: days > DUE_DAYS };
}

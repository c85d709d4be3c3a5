/** Formats a profile for the terminal. */

const NAME_WIDTH = 72;

/** @param {number} value @param {number} width */
const percentOf = (value, width = 6) => `${value.toFixed(1)}%`.padStart(width);
/** @param {string} name */
const cut = (name) => (name.length > NAME_WIDTH ? `${name.slice(0, NAME_WIDTH - 1)}…` : name);

/** Splits a name into words: `requestsPerSecond` becomes `requests per second`. @param {string} name */
const words = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Formats a profile. @param {import('./run.js').Profile} profile @returns {string} lines */
export function profileText(profile) {
  const { scenario, seconds, connections, engine, hash, figures, loopMs, threads } = profile;
  const how =
    scenario === 'login' ? `, hashing ${hash === 'sync' ? 'synchronously' : 'in the pool'}` : '';
  const lines = [
    `${scenario}: ${connections} connections for ${seconds} s, engine ${engine}${how}`,
    ...Object.entries(figures).map(
      ([name, value]) => `  ${words(name).padEnd(24)} ${value.toFixed(1).padStart(10)}`,
    ),
    `  ${'event loop delay p99 ms'.padEnd(24)} ${loopMs.p99.toFixed(1).padStart(10)}`,
  ];
  for (const thread of threads) lines.push('', ...threadLines(thread));
  lines.push('', ...notes(profile));
  return `${lines.join('\n')}\n`;
}

/** @param {import('./run.js').ThreadProfile} thread @returns {string[]} */
function threadLines({ name, summary, utilization, cpuPercent }) {
  const { ticks, hottest, bottomUp } = summary;
  const busy =
    utilization !== undefined
      ? `event loop busy ${(100 * utilization).toFixed(1)} % of the time`
      : cpuPercent !== undefined
        ? `CPU ${cpuPercent.toFixed(1)} % of a core`
        : '';
  const title = `== ${name}: ${ticks} samples while awake${busy && `, ${busy}`}`;
  if (ticks === 0) return [title, 'No samples: the thread was always idle.'];
  return [
    title,
    '',
    'Summary',
    '   ticks  total  name',
    ...summary.summary.map((row) => `${tick(row.ticks)} ${percentOf(row.percent)}  ${row.name}`),
    '',
    'Hottest functions',
    '   ticks   self  with callees  name',
    ...hottest.map(
      (row) =>
        `${tick(row.ticks)} ${percentOf(row.percent)}        ${percentOf(row.inclusive)}  ${cut(row.name)}`,
    ),
    '',
    'Bottom up: callers of the hottest functions',
    '   ticks  share  name',
    ...bottomUp.flatMap((row) => callerLines(row, 0)),
  ];
}

/** @param {number} ticks */
const tick = (ticks) => String(ticks).padStart(8);

/** @param {import('./summary.js').Caller} row @param {number} depth @returns {string[]} */
function callerLines({ name, ticks, percent, callers }, depth) {
  return [
    `${tick(ticks)} ${percentOf(percent)}  ${'  '.repeat(depth)}${cut(name)}`,
    ...callers.flatMap((caller) => callerLines(caller, depth + 1)),
  ];
}

/** @param {import('./run.js').Profile} profile @returns {string[]} */
function notes({ threads, scenario, hash, engine }) {
  const found = [
    'A thread is sampled every millisecond while it is awake, so percentages are shares of its busy time.',
    'Work in the thread pool (hashing, files, compression) is not included.',
  ];
  if (!threads.every(({ summary }) => summary.symbols)) {
    found.push(
      "C++ functions have no names: `nm` is missing (Debian: binutils), or Node's program is stripped.",
    );
  }
  if (scenario === 'login' && hash === 'sync') {
    found.push('The TV never hashes synchronously. This profile shows the cost if it did.');
  }
  if (engine === 'zygote' && threads.length > 1) {
    found.push(
      'Workers are forks of a zygote. Their samples come from a CPU profile, in which all native code is "(program)".',
    );
  }
  if (engine === 'thread' && threads.length > 1) {
    found.push('Threads are listed in the order in which they started.');
  }
  return found;
}

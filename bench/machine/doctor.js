/** What on this machine spoils measurements, and what to do about it. */

/**
 * @typedef {object} Finding
 * @property {'ok' | 'warning' | 'unknown'} verdict
 * @property {string} about @property {string} says
 * @property {string} [advice] what to do
 *
 * @typedef {ReturnType<typeof import('./facts.js').machineFacts>} Machine
 * @typedef {ReturnType<typeof import('./facts.js').passingFacts>} Passing
 */

/** Above this, another program takes a noticeable part of a core. */
const LOAD = 0.3;
/** A Pi slows itself down from 80 degrees on (60 on a Pi 3B+: its soft limit). */
const HOT = 70;
/** get_throttled: bits that hold now; the same shifted by 16 held since it was switched on. */
const THROTTLED = ['under-voltage', 'frequency capped', 'throttled', 'soft temperature limit'];

/** @param {string} about @param {string} says @returns {Finding} */
const ok = (about, says) => ({ verdict: 'ok', about, says });
/** @param {string} about @param {string} says @returns {Finding} */
const unknown = (about, says) => ({ verdict: 'unknown', about, says });
/** @param {string} about @param {string} says @param {string} advice @returns {Finding} */
const warning = (about, says, advice) => ({ verdict: 'warning', about, says, advice });

/** Each looks at one thing. @type {((machine: Machine, now: Passing) => Finding)[]} */
const CHECKS = [
  ({ governor }) => {
    if (governor === null) return unknown('governor', 'this kernel does not tell');
    if (governor === 'performance') return ok('governor', governor);
    return warning(
      'governor',
      `${governor}: the clock follows the load`,
      'echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor',
    );
  },
  (_, { throttled }) => {
    if (throttled === null) return unknown('throttling', 'no flags here (they are a Pi’s)');
    const bits = (/** @type {number} */ by) =>
      THROTTLED.filter((_, bit) => (throttled >> (bit + by)) & 1);
    const now = bits(0);
    const before = bits(16);
    if (now.length + before.length === 0) return ok('throttling', 'none since it was switched on');
    const says = now.length > 0 ? `now: ${now.join(', ')}` : `earlier: ${before.join(', ')}`;
    return warning(
      'throttling',
      says,
      'Use a stronger power supply and better cooling, then boot again.',
    );
  },
  (_, { temperature }) => {
    if (temperature === null) return unknown('temperature', 'no sensor');
    if (temperature < HOT) return ok('temperature', `${temperature.toFixed(0)} °C`);
    return warning('temperature', `${temperature.toFixed(0)} °C`, 'Let it cool down, or cool it.');
  },
  (_, { load }) => {
    if (load < LOAD) return ok('other load', `load average ${load}`);
    return warning(
      'other load',
      `load average ${load}: something else runs, or did a minute ago`,
      'End it (`top` shows it), wait a minute.',
    );
  },
  ({ hugePages }) => {
    if (hugePages === null) return ok('huge pages', 'this kernel has none');
    if (hugePages !== 'always') return ok('huge pages', hugePages);
    return warning(
      'huge pages',
      'always: memory comes in pieces of 2 MB, and PSS varies with luck',
      'echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled',
    );
  },
  (_, { swapUsedKib }) => {
    if (swapUsedKib === 0) return ok('swap', 'not in use');
    return warning(
      'swap',
      `${Math.round(swapUsedKib / 1024)} MB in use: PSS leaves out what is swapped`,
      'sudo swapoff -a for the time of the measurement',
    );
  },
  ({ pageout }) => {
    if (!pageout) return ok('reclaim', 'only when memory is short');
    return warning(
      'reclaim',
      'DAMON takes away what was not used for a while: PSS of programs and libraries goes up and down',
      'echo off | sudo tee /sys/kernel/mm/damon/admin/kdamonds/*/state',
    );
  },
  ({ aslr }) => {
    if (aslr === 2) return ok('ASLR', 'on, as usual');
    return warning(
      'ASLR',
      `randomize_va_space is ${aslr}: processes look alike, so KSM gets more than elsewhere`,
      'sudo sysctl kernel.randomize_va_space=2, unless that is what you measure',
    );
  },
  ({ pageSize }) => {
    if (pageSize === null) return unknown('page size', 'this kernel does not tell');
    if (pageSize === 4096) return ok('page size', '4 KiB');
    return warning(
      'page size',
      `${pageSize / 1024} KiB: memory figures are larger, KSM finds less`,
      'On a Pi 5, kernel=kernel8.img in config.txt gives pages of 4 KiB.',
    );
  },
  ({ ksm }) => {
    if (ksm === null)
      return unknown('KSM', 'this kernel is built without it; scenario ksm is left out');
    if (ksm.run === 0) return ok('KSM', 'there, and off');
    return warning('KSM', 'runs already: it merges and takes CPU time', 'sudo pitv ksm off');
  },
  ({ virtual }) => {
    if (virtual === null) return ok('machine', 'no virtual one, as far as can be seen');
    return warning(
      'machine',
      `virtual (${virtual}): times are not those of a board`,
      'Compare variants with each other only; take times on the device.',
    );
  },
  ({ cores }) => {
    if (cores > 1) return ok('cores', String(cores));
    return warning(
      'cores',
      '1: the harness and what it measures share it',
      'Read CPU times rather than elapsed ones.',
    );
  },
  ({ nodeFlags }) => {
    if (nodeFlags === '') return ok('Node flags', 'none');
    return warning('Node flags', nodeFlags, 'unset NODE_OPTIONS');
  },
];

/** @param {Machine} machine @param {Passing} now @returns {Finding[]} */
export function examine(machine, now) {
  return CHECKS.map((check) => check(machine, now));
}

const MARKS = { ok: ' ok ', warning: 'WARN', unknown: ' ?  ' };

/** @param {Finding[]} findings @returns {string} */
export function formatFindings(findings) {
  const lines = findings.flatMap(({ verdict, about, says, advice }) => [
    `  ${MARKS[verdict]}  ${about.padEnd(12)} ${says}`,
    ...(advice ? [`${' '.repeat(21)}-> ${advice}`] : []),
  ]);
  const bad = findings.filter(({ verdict }) => verdict === 'warning').length;
  const end =
    bad === 0
      ? 'Nothing here spoils measurements.'
      : `${bad} of ${findings.length} may spoil measurements.`;
  return [...lines, '', `  ${end}`, ''].join('\n');
}

/** Finds conditions of this machine that distort measurements, and advises how to change them. */
import { alignColumns } from '../../ksm/table.js';

/**
 * @typedef {object} Finding
 * @property {'ok' | 'warning' | 'unknown'} verdict
 * @property {string} about @property {string} says
 * @property {string} [advice] what to do
 *
 * @typedef {ReturnType<typeof import('./facts.js').machineFacts>} Machine
 * @typedef {Awaited<ReturnType<typeof import('./facts.js').passingFacts>>} Passing
 */

/** Above this load average, another program uses a noticeable share of a core. */
const LOAD = 0.3;
/** Degrees Celsius. A Pi throttles from 80 degrees (a Pi 3B+ from 60, its soft limit). */
const HOT = 70;
/** Bits of get_throttled that are currently set. Shifted by 16: set at any time since the start. */
const THROTTLED = ['under-voltage', 'frequency capped', 'throttled', 'soft temperature limit'];

/**
 * @typedef {[isFine: boolean | null, says: string, problem: string, advice: string]} Check null: it is unknown; says:
 *   what a finding says that is no problem
 */

/** What is checked. @type {Record<string, (machine: Machine, now: Passing) => Check>} */
const CHECKS = {
  governor: ({ governor }) => [
    governor === null ? null : governor === 'performance',
    governor ?? 'this kernel does not report it',
    `${governor}: the clock follows the load`,
    'echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor',
  ],
  throttling: (_, { throttled }) => {
    const bits = (/** @type {number} */ by) =>
      THROTTLED.filter((_name, bit) => (Number(throttled) >> (bit + by)) & 1).join(', ');
    const [now, before] = [bits(0), bits(16)];
    return [
      throttled === null ? null : !now && !before,
      throttled === null ? 'not reported (only a Pi does)' : 'none since the start',
      now ? `now: ${now}` : `earlier: ${before}`,
      'Use a stronger power supply and better cooling, then restart.',
    ];
  },
  temperature: (_, { temperature }) => [
    temperature === null ? null : temperature < HOT,
    temperature === null ? 'no sensor' : `${temperature.toFixed(0)} °C`,
    `${temperature?.toFixed(0)} °C`,
    'Wait until it has cooled down, or improve the cooling.',
  ],
  'other load': (_, { load }) => [
    load < LOAD,
    `load average ${load}`,
    `load average ${load}: another program is running, or was a minute ago`,
    'End it (`top` shows it), then wait a minute.',
  ],
  'huge pages': ({ hugePages }) => [
    hugePages !== 'always',
    hugePages ?? 'not in this kernel',
    'always: memory is allocated in pages of 2 MB, so PSS varies randomly',
    'echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled',
  ],
  swap: (_, { swapUsedKib }) => [
    swapUsedKib === 0,
    'not in use',
    `${Math.round(swapUsedKib / 1024)} MB in use: PSS does not include swapped pages`,
    'sudo swapoff -a, during the measurement',
  ],
  ASLR: ({ aslr }) => [
    aslr === 2,
    'on',
    `randomize_va_space is ${aslr}: processes have more equal pages, so KSM saves more than usual`,
    'sudo sysctl kernel.randomize_va_space=2, unless that is what you measure',
  ],
  'page size': ({ pageSize }) => [
    pageSize === null ? null : pageSize === 4096,
    pageSize === null ? 'this kernel does not report it' : '4 KiB',
    `${Number(pageSize) / 1024} KiB: memory figures are larger, and KSM saves less`,
    'On a Pi 5, kernel=kernel8.img in config.txt gives pages of 4 KiB.',
  ],
  KSM: ({ ksm }) => [
    ksm && ksm.run === 0,
    ksm === null ? 'not in this kernel; memory with KSM is skipped' : 'available and off',
    'already running: it merges pages and uses CPU time',
    'sudo pitv ksm off',
  ],
  machine: ({ virtual }) => [
    virtual === null,
    'probably not virtual',
    `virtual (${virtual}): times are not those of a board`,
    'Only compare variants with each other; measure times on the device.',
  ],
  cores: ({ cores }) => [
    cores > 1,
    String(cores),
    '1: the harness shares it with the measured processes',
    'Use CPU times rather than elapsed times.',
  ],
  'Node flags': ({ nodeFlags }) => [nodeFlags === '', 'none', nodeFlags, 'unset NODE_OPTIONS'],
};

/** Runs all checks. @param {Machine} machine @param {Passing} now @returns {Finding[]} */
export const examine = (machine, now) =>
  Object.entries(CHECKS).map(([about, check]) => {
    const [isFine, says, problem, advice] = check(machine, now);
    if (isFine === false) return { verdict: 'warning', about, says: problem, advice };
    return { verdict: isFine ? 'ok' : 'unknown', about, says };
  });

const MARKS = { ok: ' ok ', warning: 'WARN', unknown: ' ?  ' };

/** Formats findings for a terminal. @param {Finding[]} findings @returns {string} */
export function formatFindings(findings) {
  const lines = alignColumns(
    findings.flatMap(({ verdict, about, says, advice }) => [
      [`  ${MARKS[verdict]}`, about, says],
      ...(advice ? [['', '', `-> ${advice}`]] : []),
    ]),
  );
  const bad = findings.filter(({ verdict }) => verdict === 'warning').length;
  const end =
    bad === 0
      ? 'No condition distorts measurements.'
      : `${bad} of ${findings.length} conditions may distort measurements.`;
  return [...lines, '', `  ${end}`, ''].join('\n');
}

/** Lists the goals of the pool: what it may cost, mostly compared with piscina and with pools of processes. */

const KIB = 1024;
const MIB = 1024 * KIB;
const PISCINA = 'piscina';
const PROCESS_POOLS = ['tinypool process', 'workerpool process', 'poolifier cluster'];

/**
 * @typedef {import('./goals.js').Case} Case
 * @typedef {import('./goals.js').Goal} Goal
 */

/**
 * Makes the cases of small tasks: nothing and 1 KiB, with one and two workers.
 * @param {string} variant @param {string[]} others @returns {Case[]}
 */
const smallTasks = (variant, others) =>
  [1, 2].flatMap((workers) =>
    [0, KIB].map((n) => ({
      title: `${n === 0 ? 'nothing' : '1 KiB'}, ${workers === 1 ? '1 worker' : '2 workers'}`,
      ...compare(variant, others, { level: 'copied', workers, n }),
    })),
  );

/**
 * Compares CPU time.
 * @param {string} variant @param {string[]} others
 * @param {import('./pivot.js').Where} where @param {import('./pivot.js').Where} [ofWhere] instead of where
 */
const compare = (variant, others, where, ofWhere) => ({
  metric: 'cpu',
  of: { variant, ...where, ...ofWhere },
  to: others.map((other) => ({ variant: other, ...where })),
});

/** @param {string} variant @param {string[]} others @param {number} n @param {string} [level] of the variant */
const large = (variant, others, n, level = 'copied') =>
  [1, 2]
    .filter((workers) => workers === 2 || n === MIB)
    .map((workers) => ({
      title: workers === 1 ? '1 worker' : '2 workers',
      ...compare(variant, others, { level: 'copied', workers, n }, { level }),
    }));

/** @param {string} wanted @param {number} limit @param {Case[]} cases @returns {Goal} */
const ratio = (wanted, limit, cases) => ({ wanted, limit, unit: 'times', cases });

/** @param {string} engine @returns {Goal[]} */
function goalsOfProcesses(engine) {
  const variant = `pitv ${engine}`;
  const one = { variant, level: 'copied', workers: 1, n: 0 };
  /** @param {string} text @param {string} metric @param {number} limit @returns {Goal} */
  const latency = (text, metric, limit) => ({
    wanted: `${engine}: ${text} at most ${limit} ms`,
    limit,
    unit: 'ms',
    cases: [{ title: '', metric, of: one }],
  });
  return [
    ratio(
      `${engine}: CPU time a task, nothing and 1 KiB, at most 1.3 times piscina’s threads`,
      1.3,
      smallTasks(variant, [PISCINA]),
    ),
    ratio(
      `${engine}: the same, at most half of the best pool of processes`,
      0.5,
      smallTasks(variant, PROCESS_POOLS),
    ),
    latency('latency, one task after the other, median', 'latency', 0.05),
    latency('the same, p99', 'latency_p99', 0.2),
    latency('latency of a worker that has slept, median', 'latency_idle', 0.05),
    latency('the same, p99', 'latency_idle_p99', 0.2),
  ];
}

const PROCESS = 'pitv process';
const ZYGOTE = 'pitv zygote';
const NOTHING = { level: 'copied', workers: 2, n: 0 };
const ALLOCATED = { variant: PROCESS, level: 'allocated', workers: 2 };

/** @param {string} metric @param {import('./pivot.js').Where} where @returns {Case[]} */
const zygoteToPiscina = (metric, where) => [
  { title: '', metric, of: { variant: ZYGOTE, ...where }, to: [{ variant: PISCINA, ...where }] },
];

/** @type {Goal[]} */
export const GOALS = [
  ratio(
    'thread: CPU time a task, nothing and 1 KiB, at most piscina’s',
    1,
    smallTasks('pitv thread', [PISCINA]),
  ),
  ...goalsOfProcesses('process'),
  ...goalsOfProcesses('zygote'),
  ...[MIB, 16 * MIB].map((n) =>
    ratio(
      `process: ${n / MIB} MiB from allocate(), CPU time at most a tenth of piscina’s copy`,
      0.1,
      large(PROCESS, [PISCINA], n, 'allocated'),
    ),
  ),
  ratio('process: allocate(), 16 MiB as 1 MiB, at most 1.1 times the CPU time', 1.1, [
    {
      title: '',
      metric: 'cpu',
      of: { ...ALLOCATED, n: 16 * MIB },
      to: [{ ...ALLOCATED, n: MIB }],
    },
  ]),
  ratio(
    'process: 1 MiB copied, CPU time at most that of piscina’s threads',
    1,
    large(PROCESS, [PISCINA], MIB),
  ),
  ratio(
    'process: the same, at most a quarter of the best pool of processes',
    0.25,
    large(PROCESS, PROCESS_POOLS, MIB),
  ),
  ratio(
    'zygote: first result of the first pool, at most a fifth of piscina’s',
    0.2,
    zygoteToPiscina('cold', NOTHING),
  ),
  ratio(
    'zygote: first result of a second pool, at most a fifth of piscina’s',
    0.2,
    zygoteToPiscina('second_pool', NOTHING),
  ),
  {
    wanted: 'zygote: a task after the kill of a worker answered within 10 ms',
    limit: 10,
    unit: 'ms',
    cases: [
      { title: '', metric: 'recovery', of: { variant: ZYGOTE, level: 'killed', workers: 1, n: 0 } },
    ],
  },
  ratio(
    'zygote: unreclaimable memory of 8 idle workers, at most a third of piscina’s',
    1 / 3,
    zygoteToPiscina('idle_memory', { level: 'idle', workers: 8, n: 0 }),
  ),
];

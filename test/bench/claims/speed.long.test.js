/** What is faster, each as a ratio within one run. The margins are about half of what is usual. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINES } from '../../../app/engine/index.js';
import { nodeVersions } from '../../nodes.js';
import { setVariable } from '../../support/tv.js';
import { measure } from './measure.js';

/** The least that the other engines may take to start workers, in starts of the zygote. */
const STARTS = Object.entries({
  'on demand': { thread: 4, process: 5 },
  '8 at once': { thread: 5, process: 8 },
});

for (const [variant, ratios] of STARTS) {
  test(`start-up, ${variant}: a fork takes a fraction of the time of a thread or a process`, async () => {
    const starts = await measure('startup', 3, {
      wanted: (one) => one.variant === variant && ENGINES.includes(String(one.engine)),
    });
    for (const [engine, ratio] of Object.entries(ratios))
      starts.assertRatio('ready', { variant, engine }, { variant, engine: 'zygote' }, ratio);
  });
}

/** The zygote restricts V8's compilers to save memory. Usual is 0.7 to 0.9; without compiled code, it is 1.4. */
const MAX_CPU_RATIO = 1.1;

const versions = nodeVersions().filter(({ name }) => /^this|^Node 24/.test(name));
for (const { name, command, skip } of versions) {
  test(`a pass takes no more CPU time than in a process: ${name}`, { skip }, async (t) => {
    const version = String(/\d+/.exec(name));
    setVariable(t, `PITV_NODE_${version}`, command[0]);
    const options = { quick: false, engines: ['process', 'zygote'], workers: [1] };
    const passes = await measure('runtime', 3, { ...options, nodes: [version] });
    const [forked, spawned] = ['zygote', 'process'].map((variant) =>
      Math.min(...passes.samples('cpu', { variant })),
    );
    assert.ok(forked < MAX_CPU_RATIO * spawned, `${forked} ms and ${spawned} ms`);
  });
}

test('busy matches in workers delay the event loop much less than in the main thread', async () => {
  // On most machines more than there are cores: each keeps a core busy for most of the time.
  const loop = await measure('loop', 1, {
    workers: [8],
    wanted: ({ variant }) => variant.startsWith('busy'),
  });
  for (const engine of ENGINES) {
    const beside = { variant: 'busy', engine };
    loop.assertRatio('loop_p99', { variant: 'busy, main thread' }, beside, 5);
  }
});

test('the kernel finds the same pairs as the libraries, is much faster, and is nearly as fast as C', async () => {
  const { rows, notes } = await measure('collision', 1, {
    wanted: ({ n, level }) => n === 1000 && level === 'uniform',
  });
  assert.equal(rows.length, 9);
  assert.doesNotMatch(notes.join(), /WRONG/);
  const {
    pitv,
    c,
    'c-native': limit,
    ...libraries
  } = Object.fromEntries(rows.map(({ variant, median }) => [variant, median]));
  const fastest = Math.min(...Object.values(libraries));
  assert.ok(fastest > 5 * pitv, `${fastest} ms and ${pitv} ms`);
  assert.ok(limit > 0);
  assert.ok(pitv < 4 * c, `${pitv} ms and ${c} ms in C`);
});

/** Games do not delay the event loop of the main thread, however busy their workers are. */
import { test } from 'node:test';
import { ENGINES } from '../../../app/engine/index.js';
import { measure } from './measure.js';

const ROUNDS = 1;
/** On most machines more than there are cores: each keeps a core busy for most of the time. */
const MATCHES = 8;
const MIN_RATIO = 5;

test('busy matches in workers delay the event loop much less than in the main thread', async () => {
  const loop = await measure('loop', ROUNDS, {
    workers: [MATCHES],
    wanted: ({ variant }) => variant.startsWith('busy'),
  });
  for (const engine of ENGINES) {
    const beside = { variant: 'busy', engine };
    loop.assertRatio('loop_p99', { variant: 'busy, main thread' }, beside, MIN_RATIO);
  }
});

/** A match that is over at once: a player has more points than those of higher slots. */
import { defineGame } from '../../../app/game/define.js';

const SLOTS = 4;

export default defineGame({
  id: 'instant',
  title: 'Instant',
  tagline: 'Over before it begins.',
  rules: ['The first player wins.'],
  players: { min: 1, max: SLOTS },
  controls: { stick: 'Nothing', a: '', b: '' },
  view: {
    width: 1600,
    height: 900,
    background: '#0b1020',
    kinds: [{ name: 'ball', look: 'ball', color: '#6d7690' }],
    events: [],
    extra: [],
  },
  seconds: { ready: 0.1, roundOver: 0.1, matchOver: 0.1 },
  world: () => ({ capacity: 1 }),
  setUpRound(flow) {
    flow.world.clear();
    for (let slot = 0; slot < SLOTS; slot++) flow.alive[slot] = flow.seated(slot) ? 1 : 0;
  },
  steer() {},
  settle(flow) {
    if (!flow.playing) return;
    for (let slot = 0; slot < SLOTS; slot++) if (flow.human[slot]) flow.score[slot] = SLOTS - slot;
    flow.endRound(true);
  },
});

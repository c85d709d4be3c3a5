/** Writes the files of games for tests. */
import { chmodSync } from 'node:fs';
import { temporaryFolder, writeTree } from './folders.js';

const KERNEL = new URL('../../app/game/index.js', import.meta.url).href;

/**
 * Returns the source of a game that works: one ball per player.
 * @param {string} id
 * @param {{fields?: string, hooks?: string, top?: string, kernel?: string}} [parts] fields: more fields or other ones;
 *   hooks: instead of the hooks; top: the first statements of the module; kernel: what is imported as the kernel
 */
export const gameSource = (id, { fields = '', hooks = '', top = '', kernel = KERNEL } = {}) => `
import { NO_BODY, SHAPE, defineGame } from '${kernel}';
${top}
export default defineGame({
  id: '${id}',
  title: 'The game ${id}',
  tagline: 'A game of a test.',
  rules: ['There are none.'],
  players: { min: 1, max: 2 },
  controls: { stick: 'Move', a: 'Jump' },
  view: {
    width: 1600,
    height: 900,
    background: '#000000',
    kinds: [{ name: 'ball', look: 'ball', color: 'owner' }],
    events: [],
    extra: [],
  },
  options: { balls: { default: 5, min: 0, max: 50 } },
  seconds: { ready: 0, roundOver: 1, matchOver: 1 },
  world: ({ balls }) => ({ capacity: balls + 2 }),
  setUpRound({ world, options }) {
    world.clear();
    for (let i = 0; i < options.balls; i++) {
      world.add({ shape: SHAPE.circle, kind: 0, x: 100 + i, y: 450, vx: 60, radius: 9 });
    }
  },
  steer() {},
  settle() {},
  ${hooks}
  ${fields}
});
`;

/**
 * Makes a folder of games, which is removed when the process ends.
 * @param {Record<string, string>} files source by name @returns {string} path
 */
export function gameFolder(files) {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755); // as root, games run as the user nobody
  writeTree(folder, { 'package.json': '{"type":"module"}', ...files });
  return folder;
}

/**
 * Compares pitv's canvas for clips with two maintained rasterisers. Each renders the same recorded match, in a fresh
 * process per round. Prints the conditions and a table in Markdown, for bench/results/clips.md.
 *
 *   node bench/canvas/compare.js [--game swarm] [--seconds 3] [--rounds 5]
 *        [--node "COMMAND"] [--canvases pitv,canvaskit,napi]
 *
 * --node runs the renderer with another Node.js, such as an armhf build under qemu-arm.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serialize } from 'node:v8';
import { packInput } from '../../app/game/input.js';
import { loadCatalog } from '../../app/lobby/catalog.js';
import { conditions, startOfRun } from '../machine/conditions.js';

const CANDIDATES = fileURLToPath(new URL('candidates', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.cache/canvases', import.meta.url));
const CHILD = fileURLToPath(new URL('render.js', import.meta.url));
const TICK_HZ = 60;
/** Skips the countdown. */
const SKIPPED_TICKS = 4 * TICK_HZ;

const { values } = parseArgs({
  options: {
    game: { type: 'string', default: 'swarm' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    node: { type: 'string', default: process.execPath },
    canvases: { type: 'string', default: 'pitv,canvaskit,napi' },
  },
});

/** Installs the libraries unless they are installed. */
function install() {
  if (existsSync(join(CACHE, 'node_modules'))) return;
  mkdirSync(CACHE, { recursive: true });
  cpSync(CANDIDATES, CACHE, { recursive: true });
  const args = ['install', '--no-audit', '--no-fund', '--silent'];
  const { status, stderr } = spawnSync('npm', args, { cwd: CACHE, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm install failed: ${stderr}`);
}

/**
 * Makes the recording of a match with four players.
 * @param {string} id of a game @param {number} seconds
 * @returns {Promise<import('../../app/clips/render/pictures.js').RenderJob>}
 */
async function record(id, seconds) {
  const game = (await loadCatalog()).find((one) => one.id === id);
  if (!game) throw new Error(`There is no game '${id}'.`);
  const options = { seed: 5, match: 1 };
  const { checkpointBytes, inputSlots } = game.sizes(options);
  const checkpoint = new Uint8Array(checkpointBytes);
  game.start(options).checkpoint(checkpoint);
  const toTick = SKIPPED_TICKS + seconds * TICK_HZ;
  const words = new Int32Array(toTick * inputSlots);
  for (let tick = 0; tick < toTick; tick++) {
    for (let slot = 0; slot < 4; slot++) {
      const x = Math.round(60 * Math.sin(tick / 30 + slot));
      const y = Math.round(50 * Math.cos(tick / 50 + slot));
      words[tick * inputSlots + slot] = packInput(x, y, 0, 0, 0);
    }
  }
  const roster = ['Ada', 'Grace', 'Linus', 'Edsger'].map((name, slot) => ({
    slot,
    name,
    color: ['#ff4d4d', '#4dff88', '#4da6ff', '#ffd24d'][slot],
  }));
  const replay = {
    checkpoint,
    checkpointTick: 0,
    slots: inputSlots,
    words,
    fromTick: SKIPPED_TICKS,
    toTick,
    rosters: [{ tick: 0, roster }],
  };
  return { gameUrl: game.url, options, replay, width: 1280, height: 720, fps: 30 };
}

/** @typedef {{wallMs: number, cpuMs: number, peakRssKib: number, pictures: number}} Run */

/** Renders a scene in a new process. @param {string} canvas @param {string} file of the scene @returns {Run} */
function render(canvas, file) {
  const [program, ...args] = values.node.split(' ');
  const { status, stdout, stderr } = spawnSync(program, [...args, CHILD, canvas, file, CACHE], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${canvas}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Formats the median and the range of numbers. @param {number[]} numbers */
function formatRange(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [median, low, high] = [sorted[sorted.length >> 1], sorted[0], sorted.at(-1) ?? NaN];
  return `${median.toFixed(1)} (${low.toFixed(1)}, ${high.toFixed(1)})`;
}

install();
const started = startOfRun();
const folder = mkdtempSync(join(tmpdir(), 'pitv-canvas-'));
try {
  const file = join(folder, 'scene');
  writeFileSync(file, serialize(await record(values.game, Number(values.seconds))));
  /** @type {Map<string, Run[]>} */
  const runs = new Map(values.canvases.split(',').map((canvas) => [canvas, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [canvas, list] of runs) {
      const run = render(canvas, file);
      list.push(run);
      console.error(`round ${round + 1} ${canvas} ${JSON.stringify(run)}`);
    }
  }
  const command = ['node bench/canvas/compare.js', ...process.argv.slice(2)].join(' ');
  console.log(`${conditions({ command, ...started })}

Medians (min, max):

| Canvas | runs | pictures | wall time, s | CPU time, s | peak RSS, MiB |
| --- | --- | --- | --- | --- | --- |`);
  for (const [canvas, list] of runs) {
    /** @param {keyof Run} name @param {number} unit */
    const of = (name, unit) => formatRange(list.map((run) => run[name] / unit));
    const { length } = list;
    console.log(
      `| ${canvas} | ${length} | ${list[0].pictures} | ${of('wallMs', 1000)} | ${of('cpuMs', 1000)} | ${of('peakRssKib', 1024)} |`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

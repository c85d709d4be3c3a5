/**
 * Compares what the drawing of matches costs a browser in two versions of the project. Both draw the same recorded
 * frames on the same canvas, in a Chromium without a GPU, in turns. Prints a table of medians in Markdown.
 *
 *   node bench/browsers/compare-drawing.js --base COMMIT [--scenes collide:60,collide:1000,swarm] [--rounds 5]
 *        [--pictures 240] [--size 1280x720] [--detail full]
 *
 * The cost of a picture is the CPU time of the page's main thread, and that of all processes of the browser. It depends
 * less on other programs than the number of pictures per second does. With --detail low, both versions draw what the
 * screen draws on a slow TV, if they can.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { express } from '../../app/server/express.js';
import { loadCatalog } from '../../app/packages/catalog.js';
import { frameBytes } from '../../app/game/frame.js';
import { packInput } from '../../app/game/input.js';
import { markdownTable } from '../report/markdown.js';
import { median } from '../stats/stats.js';
import { launch } from './devtools.js';
import { drawPictures } from './drawing-page.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const PLAYERS = 4;
/** Skips the countdown, and Swarm's first wave. */
const SKIPPED_TICKS = 900;
const MAX_FRAME_BYTES = frameBytes(4096, 16, 255);

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: 'HEAD' },
    scenes: { type: 'string', default: 'collide:60,collide:1000,swarm,bumper' },
    rounds: { type: 'string', default: '5' },
    pictures: { type: 'string', default: '240' },
    size: { type: 'string', default: '1280x720' },
    detail: { type: 'string', default: 'full' },
  },
});

/** Unpacks a commit. @param {string} commit @returns {string} folder */
function checkOut(commit) {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-drawing-'));
  const archive = `git archive ${JSON.stringify(commit)} app package.json | tar -x -C ${folder}`;
  const { status, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', archive], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`There is no commit ${commit}: ${stderr}`);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/**
 * Records frames of a match with players who push their sticks in circles.
 * @param {string} scene a game, and its number of bodies if it has the option: swarm, collide:60
 * @param {number} count of frames
 */
async function record(scene, count) {
  const [id, bodies] = scene.split(':');
  const game = (await loadCatalog()).find((one) => one.id === id);
  if (!game) throw new Error(`There is no game '${id}'.`);
  const options = { seed: 5, match: 1, ...(bodies && { bodies: Number(bodies) }) };
  const job = game.start(options);
  const target = new Uint8Array(MAX_FRAME_BYTES);
  const frames = [];
  for (let tick = 0; frames.length < count && !job.done; tick++) {
    const word = (/** @type {number} */ slot) => {
      if (slot >= PLAYERS) return 0;
      const axis = (/** @type {number} */ turn) =>
        Math.round(127 * Math.sin(tick / 40 + slot + turn));
      return packInput(axis(0), axis(1.6), tick % 50 < 25 ? 1 : 0, tick, 0);
    };
    job.step(word, () => tick);
    const length = job.writeFrame(target);
    if (tick >= SKIPPED_TICKS) frames.push(target.slice(0, length));
  }
  return { view: game.view, frames };
}

/**
 * Serves the pages of a version, and an empty page at /drawing.
 * @param {string} folder
 */
async function serve(folder) {
  const url = pathToFileURL(join(folder, 'app/server/pages.js')).href;
  const { servePages } = await import(url);
  const app = express();
  app.get('/drawing', (_request, response) => {
    response.type('html').send('<!doctype html><canvas style="width:100vw"></canvas>');
  });
  app.use(servePages({ language: 'auto' }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/drawing`, server };
}

/**
 * Draws a scene in a new browser.
 * @param {string} url @param {Awaited<ReturnType<typeof record>>} scene
 * @returns {Promise<{all: number, main: number}>} CPU time of a picture: of all processes, and of the main thread, ms
 */
async function measure(url, { view, frames }) {
  /** @type {(() => unknown)[]} */
  const ends = [];
  try {
    const browser = await launch({ after: (end) => ends.unshift(end) }, CHROMIUM);
    const [width, height] = values.size.split('x').map(Number);
    const page = await browser.open({ url, width, height });
    await page.waitFor('the page is loaded', () => document.readyState === 'complete');
    const texts = frames.map((bytes) => Buffer.from(bytes).toString('base64'));
    const scene = { view, width, height, isLow: values.detail === 'low' };
    await page.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.evaluate(drawPictures, scene, texts, Math.min(60, texts.length)); // warms up
    const before = [await browser.cpuSeconds(), await mainSeconds(page)];
    await page.evaluate(drawPictures, scene, texts, texts.length);
    const after = [await browser.cpuSeconds(), await mainSeconds(page)];
    const [all, main] = after.map((seconds, i) => (1000 * (seconds - before[i])) / texts.length);
    return { all, main };
  } finally {
    for (const end of ends) await end();
  }
}

/** Returns the CPU time of the main thread of a page so far, s. @param {import('./devtools.js').DevToolsPage} page */
async function mainSeconds(page) {
  const { metrics } = await page.send('Performance.getMetrics');
  return metrics.find((/** @type {{name: string}} */ { name }) => name === 'TaskDuration').value;
}

/**
 * @param {{all: number, main: number}[]} olds @param {{all: number, main: number}[]} owns of the same rounds
 * @returns {string[]} cells
 */
function compare(olds, owns) {
  return /** @type {const} */ (['main', 'all']).flatMap((key) => {
    const [before, now] = [olds, owns].map((costs) => median(costs.map((cost) => cost[key])));
    const ratios = owns.map((cost, i) => cost[key] / olds[i][key]);
    const range = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
    return [before, now, now / before].map((n) => n.toFixed(2)).concat(range.join(' to '));
  });
}

const base = checkOut(values.base);
const [old, own] = [await serve(base), await serve(ROOT)];
try {
  const columns = ['before, ms', 'now, ms', 'ratio', 'of rounds'];
  const titles = ['main thread', 'browser'].flatMap((what) =>
    columns.map((one) => `${what}: ${one}`),
  );
  const rows = [];
  for (const scene of values.scenes.split(',')) {
    const recorded = await record(scene, Number(values.pictures));
    const [olds, owns] = [/** @type {any[]} */ ([]), /** @type {any[]} */ ([])];
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const isOwn of round % 2 === 0 ? [false, true] : [true, false]) {
        (isOwn ? owns : olds).push(await measure(isOwn ? own.url : old.url, recorded));
      }
    }
    rows.push([scene, ...compare(olds, owns)]);
  }
  console.log(markdownTable(['Scene', ...titles], rows));
} finally {
  for (const { server } of [old, own]) server.close();
  rmSync(base, { recursive: true });
}

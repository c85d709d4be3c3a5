/** Renders a scene and prints its cost as JSON: `node render.js CANVAS SCENE_FILE FOLDER_OF_LIBRARIES`. */
import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import {
  packRgb,
  pictureCount,
  defineBrowserGlobals,
  renderPictures,
} from '../../app/clips/render/pictures.js';

const [canvasName, file, folder] = process.argv.slice(2);
const began = performance.now();

/** @type {Record<string, () => Promise<(() => any) | undefined>>} */
const CANVASES = {
  pitv: async () => undefined,
  canvaskit: async () => (await import('./canvaskit.js')).load(folder),
  napi: async () => (await import('./napi.js')).load(folder),
};

const scene = deserialize(readFileSync(file));
defineBrowserGlobals(await CANVASES[canvasName]());
const rgb = Buffer.alloc(scene.width * scene.height * 3);
const wanted = pictureCount(scene);
let pictures = 0;
for await (const { canvas } of renderPictures(scene)) {
  packRgb(canvas, rgb);
  if (++pictures === wanted) break;
}
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const cpuMs = (userCPUTime + systemCPUTime) / 1000;
const wallMs = performance.now() - began;
console.log(JSON.stringify({ wallMs, cpuMs, peakRssKib: maxRSS, pictures }));

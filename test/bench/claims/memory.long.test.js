/** Unreclaimable memory (app/process/memory-account.js) of the whole TV: what each further match adds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measure } from './measure.js';

const ROUNDS = 1;
const [FEW, MANY] = [1, 4];

test('a further match adds least memory with the zygote, and less in a thread than in a process', async () => {
  const growth = await measure('growth', ROUNDS, { workers: [FEW, MANY] });
  const metric = 'unreclaimable_added_per_worker';
  const furtherKib = (/** @type {string} */ engine) => {
    const added = (/** @type {number} */ workers) =>
      growth.median(metric, { engine, workers }) * workers;
    return (added(MANY) - added(FEW)) / (MANY - FEW);
  };
  const [zygote, thread, process] = ['zygote', 'thread', 'process'].map(furtherKib);
  const figures = `zygote ${zygote} KiB, thread ${thread} KiB, process ${process} KiB`;
  console.log(`# ${figures}`);
  assert.ok(zygote > 0, figures);
  assert.ok(thread > 2 * zygote, figures);
  assert.ok(process > 1.15 * thread, figures);
});

/** Unreclaimable memory (app/process/memory-account.js) of the whole TV: what each further match adds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measure } from './measure.js';

const ROUNDS = 1;
const [FEW, MANY] = [1, 4];

test('a further match adds least memory with the zygote, and less in a thread than in a process', async () => {
  const memory = await measure('memory', ROUNDS, {
    workers: [FEW, MANY],
    wanted: ({ variant, engine }) => variant === engine,
  });
  const furtherKib = (/** @type {string} */ variant) => {
    const kib = (/** @type {number} */ workers) =>
      memory.median('unreclaimable', { variant, workers });
    return (kib(MANY) - kib(FEW)) / (MANY - FEW);
  };
  const [zygote, thread, process] = ['zygote', 'thread', 'process'].map(furtherKib);
  const figures = `zygote ${zygote} KiB, thread ${thread} KiB, process ${process} KiB`;
  console.log(`# ${figures}`);
  assert.ok(zygote > 0, figures);
  assert.ok(thread > 2 * zygote, figures);
  assert.ok(process > 1.15 * thread, figures);
});

import assert from 'node:assert/strict';

/**
 * Runs a part of a check, and asserts that it takes little CPU time. Other programs do not change it.
 * @param {number} limitMs @param {() => unknown} run
 */
export async function withinCpuTime(limitMs, run) {
  const began = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(began);
  const ms = (user + system) / 1000;
  assert.ok(ms < limitMs, `it took ${Math.round(ms)} ms`);
}

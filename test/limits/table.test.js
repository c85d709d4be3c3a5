import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { promisify } from 'node:util';
import { flagName } from '../../app/config/flags.js';
import { SETTINGS } from '../../app/config/settings.js';
import { burstFor, LIMITS } from '../../app/limits/table.js';

const GENERATE = fileURLToPath(new URL('../../docs/generate.js', import.meta.url));

test('docs/operations.md has the limits of the code', async () => {
  await promisify(execFile)(process.execPath, [GENERATE, '--check']);
});

test('a limit with an option is the default of that option', () => {
  for (const { option, value } of /** @type {import('../../app/limits/rows.js').Limit[]} */ (
    Object.values(LIMITS)
  )) {
    if (!option) continue;
    const setting = Object.entries(SETTINGS).find(
      ([name]) => `--${flagName(name)}` === option,
    )?.[1];
    const amount = typeof value === 'number' ? value : value.perSecond;
    assert.equal(setting?.defaultValue, String(amount), option);
  }
});

test('all clients of an address may reconnect at once', () => {
  const rate = burstFor({ perSecond: 1, burst: 20 }, { maxClientsPerAddress: 64 });
  assert.deepEqual(rate, { perSecond: 1, burst: 84 });
});

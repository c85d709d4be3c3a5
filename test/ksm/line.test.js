import test from 'node:test';
import assert from 'node:assert/strict';
import { formatEntry } from '../../ksm/status.js';

const at = new Date('2026-01-02T03:04:05.678Z');
const figures = {
  savedBytes: 26 * 2 ** 20,
  metadataBytes: 2 ** 20 / 2,
  profitBytes: -(2 ** 20),
  ratio: 5.27,
  ratioBound: 64,
  mergeable: 3,
  ksmdCpuMs: 48_123,
  pressed: true,
  written: { run: '1', pages_to_scan: '721' },
};

test('a decision is formatted with its figures', () => {
  assert.equal(
    formatEntry({ event: 'mode', message: 'burst: 1 process started', figures }, at),
    '2026-01-02T03:04:05.678Z burst: 1 process started (saved 26.0 MiB, metadata 0.5 MiB, ' +
      'profit -1.0 MiB, 3 marked, 5.3 of at most 64 pages tracked for one merged, ksmd 48.1 s, ' +
      'memory is short, written run=1 pages_to_scan=721)',
  );
});

test('foreign changes and settings that were not restored are listed', () => {
  const changes = [{ name: 'run', expected: '1', present: '0' }];
  const entry = { changes, restored: { pages_to_scan: '100' }, left: ['run'] };
  assert.equal(
    formatEntry({ event: 'yield', message: 'given up', figures: entry }, at),
    `${at.toISOString()} given up (restored pages_to_scan=100, left run, changes run=0 instead of 1)`,
  );
});

test('missing and empty figures are left out', () => {
  const empty = { ratio: Infinity, ratioBound: 64, ksmdCpuMs: undefined, written: {}, left: [] };
  for (const none of [{}, empty]) {
    const entry = { event: /** @type {const} */ ('fail'), message: 'failed', figures: none };
    assert.equal(formatEntry(entry, at), `${at.toISOString()} failed`);
  }
});

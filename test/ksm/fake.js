import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folders.js';

const FOUND = Object.freeze({
  run: '0\n',
  pages_to_scan: '100\n',
  sleep_millisecs: '20\n',
  smart_scan: '1\n',
  use_zero_pages: '0\n',
  max_page_sharing: '256\n',
  advisor_mode: '[none] scan-time\n',
  full_scans: '0\n',
  pages_shared: '0\n',
  pages_sharing: '0\n',
  pages_unshared: '0\n',
  pages_volatile: '0\n',
});

/**
 * Creates a folder like /sys/kernel/mm/ksm. It is deleted after the test.
 * @param {Record<string, string | undefined>} [changes] undefined: a kernel without that file
 * @returns {string} its path
 */
export function fakeSysfs(changes = {}) {
  const dir = temporaryFolder();
  for (const [name, value] of Object.entries({ ...FOUND, ...changes })) {
    if (value !== undefined) writeFileSync(join(dir, name), value);
  }
  return dir;
}

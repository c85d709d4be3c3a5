/** `pitv` in a folder whose npm packages are not installed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporaryFolder } from '../support/tv.js';

test('without its npm packages, it says what to install', async (t) => {
  const folder = await temporaryFolder(t);
  const root = new URL('../../', import.meta.url);
  for (const name of ['app', 'bench', 'ksm', 'package.json']) {
    cpSync(new URL(name, root), join(folder, name), { recursive: true });
  }
  const cli = spawn(process.execPath, [join(folder, 'app/cli.js'), 'serve', '--port', '0']);
  const stderr = await text(cli.stderr);
  assert.equal(cli.exitCode ?? (await once(cli, 'close'))[0], 1);
  assert.match(stderr, /^pitv: [^\n]+\n$/, 'one line');
  assert.match(stderr, /"pino" is not installed\. Run `npm ci`/);
});

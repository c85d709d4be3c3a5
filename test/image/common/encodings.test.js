/** The encodings of pitv.txt, and texts as different editors write them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { setUp } from '../../support/setup.js';
import { missingTools } from '../needs.js';
import { encodings, networkOf, pitvTxt, utf16le, wrong } from './pitv-txt.js';
import { temporaryFolder } from '../../support/folders.js';

for (const [name, bytes] of Object.entries(encodings)) {
  test(`encoding: ${name}`, async () => {
    const { problems, wifi } = await setUp({ 'pitv.txt': bytes });
    assert.deepEqual(problems, []);
    assert.match(String(wifi), networkOf('Café "Zum Bären"'));
    const psk = `p@ss = word?no, ascii: #1 'x' \\ $HOME`;
    assert.ok(String(wifi).includes(`  psk="${psk}"\n`), wifi);
  });
}

test('spaces, capitals and typographic quotes are accepted', async () => {
  const { problems, tv, hostname, wifi } = await pitvTxt(
    [
      '\u00a0Host Name?= x'.replace(' Name?', 'name'),
      '  TIMEZONE=Europe/Berlin  ',
      'wifi_name = \u201cMy Wi-Fi\u201d',
      'Wifi Password =   "  eight spaces  "',
      'language\t=\tDE_at.utf8',
      'Engine = ZYGOTE',
      '; a comment of another kind',
      '// and another',
      'ssh-key =',
    ].join('\n'),
  );
  assert.deepEqual(problems, []);
  assert.equal(hostname, 'x');
  assert.deepEqual(tv, {
    TZ: 'Europe/Berlin',
    LANG: 'de_AT.UTF-8',
    PITV_LANGUAGE: 'de-at',
    PITV_ENGINE: 'zygote',
  });
  assert.match(String(wifi), /psk=" {2}eight spaces {2}"/);
});

test('the admin password is removed from the file, and the rest is unchanged', async () => {
  const before = Buffer.from(`\ufeff# Käse\r\nadmin password = "pass word 1"\r\nhostname=x\r\n`);
  const { password, boot, problems } = await setUp({ 'pitv.txt': before });
  assert.equal(password, 'pass word 1');
  assert.deepEqual(problems, []);
  assert.equal(
    String(await boot('pitv.txt')),
    '# Käse\r\n# stored: admin-password =\r\nhostname=x\r\n',
  );
  const unicode = await setUp({ 'pitv.txt': utf16le('\ufeffadmin-password = 12345678\r\n') });
  assert.equal(unicode.password, '12345678');
  assert.equal(String(await unicode.boot('pitv.txt')), '# stored: admin-password =\r\n');
});

test('a file that is too large, random or missing causes no failure', async () => {
  const large = await pitvTxt(`hostname = x\n${'# filler\n'.repeat(10_000)}hostname = y\n`);
  assert.equal(large.hostname, 'x');
  assert.match(large.problems[0], /larger than 64 KiB/);
  const random = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919 * (i + 13)) % 251));
  const noise = await setUp({ 'pitv.txt': random });
  assert.deepEqual(noise.tv, {});
  assert.deepEqual((await setUp({})).problems, []);
  assert.equal((await setUp({ 'pitv.txt.txt': 'hostname = windows' })).hostname, 'windows');
  assert.deepEqual((await setUp({ 'pitv.txt': '' })).problems, []);
});

const noBusybox = missingTools('busybox');
test('busybox awk gives the same results as mawk', { skip: noBusybox }, async (t) => {
  const awk = join(temporaryFolder(t), 'awk');
  writeFileSync(awk, '#!/bin/sh\nexec busybox awk "$@"\n', { mode: 0o755 });
  for (const bytes of [...Object.values(encodings), ...Object.keys(wrong)]) {
    const [ours, theirs] = await Promise.all([
      setUp({ 'pitv.txt': bytes }),
      setUp({ 'pitv.txt': bytes }, { PITV_AWK: awk }),
    ]);
    const unlike = { output: '', boot: 0 };
    assert.deepEqual({ ...theirs, ...unlike }, { ...ours, ...unlike }, String(bytes));
  }
});

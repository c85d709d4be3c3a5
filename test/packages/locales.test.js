import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { readForeignGames } from '../../app/packages/foreign-games.js';
import { readLocales } from '../../app/packages/locales.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { temporaryFolder } from '../support/tv.js';

const LIMIT_MS = 20_000;
const TEXTS = {
  title: '모으기',
  tagline: '동전을 모으세요.',
  rules: ['동전 하나는 1점.'],
  controls: { stick: '움직이기', a: '뛰기' },
};

test('texts are read by language; a package without them has none', async (t) => {
  const folder = await temporaryFolder(t);
  assert.deepEqual(await readLocales(folder), {});
  mkdirSync(join(folder, 'locales'));
  writeFileSync(join(folder, 'locales', 'ko.json'), JSON.stringify(TEXTS));
  writeFileSync(join(folder, 'locales', 'pt-BR.json'), '{}');
  assert.deepEqual(await readLocales(folder), { ko: TEXTS, 'pt-BR': {} });
});

/** Wrong files. @type {Record<string, [string, string]>} */
const WRONG = {
  'another ending': ['ko.js', '{}'],
  'no language': ['texts.json', '{}'],
  'a name of objects': ['__proto__.json', '{}'],
  'no JSON': ['ko.json', '{'],
  'too many bytes': ['ko.json', ' '.repeat(LIMITS.localeBytes.value + 1)],
};
for (const [name, [file, text]] of Object.entries(WRONG)) {
  test(`${name} is refused`, async (t) => {
    const folder = await temporaryFolder(t);
    mkdirSync(join(folder, 'locales'));
    writeFileSync(join(folder, 'locales', file), text);
    await assert.rejects(readLocales(folder), {
      code: 'PITV_PACKAGE_INVALID',
      message: /locales\//,
    });
  });
}

test('links and too many files are refused', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'locales'));
  const link = join(folder, 'locales', 'aaa.json');
  symlinkSync('/etc/hostname', link);
  await assert.rejects(readLocales(folder));
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  for (let i = 0; i < LIMITS.locales.value; i++) {
    const code = `${letters[i % 26]}${letters[Math.floor(i / 26)]}`;
    writeFileSync(join(folder, 'locales', `${code}.json`), '{}');
  }
  await assert.rejects(readLocales(folder), { code: 'PITV_PACKAGE_INVALID', message: /65 files/ });
});

test('a game has the texts of its package, which are checked like its own', async (t) => {
  const folder = await gameFolder(t, {
    'game.js': gameSource('gather'),
    'locales/ko.json': JSON.stringify(TEXTS),
  });
  const file = { path: join(folder, 'game.js'), id: 'gather', folder };
  const [game] = await readForeignGames([file], LIMIT_MS, true);
  assert.ok(!(game instanceof Error), String(game));
  assert.deepEqual(game.translations, { ko: TEXTS });

  /** @type {[unknown, RegExp][]} */
  const wrong = [
    [
      { ...TEXTS, titel: 'x' },
      /gather: locales\/ko\.json: there is no field titel\. Is it title\?/,
    ],
    [{ ...TEXTS, title: '\u202e' }, /locales\/ko\.json: title must be .*, not "\\u202e"\./],
    [{ ...TEXTS, controls: { a: 5 } }, /locales\/ko\.json: controls\.a must be a text/],
    [{ ...TEXTS, teams: ['A', 'B'] }, /locales\/ko\.json: teams must have a name for each team/],
    [5, /locales\/ko\.json: its content must be an object, not 5\./],
  ];
  for (const [content, sentence] of wrong) {
    writeFileSync(join(folder, 'locales', 'ko.json'), JSON.stringify(content));
    const [result] = await readForeignGames([file], LIMIT_MS, true);
    assert.match(String(result), sentence);
  }
});

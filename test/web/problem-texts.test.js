/** Checks the translations of the TV's problems. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SavedFiles, parseJson } from '../../app/storage/saved-files.js';
import { findProblems } from '../../app/system/problems.js';
import { LANGUAGES } from '../../app/web/languages/index.js';
import { problemText } from '../../app/web/lib/reports.js';
import { temporaryFolder } from '../support/tv.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['app', 'image/common/root/usr/libexec/pitv', 'image/kiosk/root'];
/** Shorter parts between placeholders are not looked for. */
const MIN_PART = 4;

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && !/node_modules|\/web(\/|$)/.test(entry.parentPath.slice(ROOT.length)),
    )
    .filter(({ name }) => /^[^.]+$|\.(js|awk|service)$/.test(name))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')),
)
  .join('\n')
  .replaceAll('\\', '');

test('every translated sentence is one of the TV or the card', () => {
  for (const { problems } of Object.values(LANGUAGES)) {
    for (const [english, translated] of Object.entries(problems)) {
      for (const part of english.split(/\{\d\}:?|\. |pitv\.txt: /)) {
        assert.ok(part.length < MIN_PART || sources.includes(part.trim()), `${part} of ${english}`);
      }
      const places = (/** @type {string} */ text) => new Set(text.match(/\{\d\}/g));
      assert.deepEqual([...places(translated)].sort(), [...places(english)].sort(), english);
    }
  }
});

test('problems that the TV finds are in Korean, with their details', async (t) => {
  const dataDir = await temporaryFolder(t);
  const files = new SavedFiles(dataDir);
  await writeFile(join(dataDir, 'broken'), '{');
  await mkdir(join(dataDir, 'folder'));
  await symlink('/etc/passwd', join(dataDir, 'link'));
  const format = { maxBytes: 100, parse: parseJson };
  for (const name of ['broken', 'folder', 'link']) await files.load(join(dataDir, name), format);
  const found = await findProblems({
    problemsDir: '',
    dataDir,
    fileProblems: files.problems,
    storeProblem: 'the disk is read-only',
    liveProblem: 'the disk is full',
  });
  assert.equal(found.length, 5);
  const translated = found.map((sentence) => problemText(sentence, 'ko'));
  for (const text of translated) assert.match(text, /[가-힣]/);
  assert.ok(translated[0].startsWith(dataDir), translated[0]);
  assert.match(translated[0], /읽기 전용/);
  assert.match(translated.join(), /broken.*JSON 형식이 아니에요.*broken\.bad-1/);
  for (const text of translated) assert.doesNotMatch(text, /ignored|disk is|called/);
  assert.deepEqual(
    found.map((sentence) => problemText(sentence, 'en')),
    found,
  );
});

test('a setting that the card refuses is in Korean; an unknown sentence stays', () => {
  assert.equal(
    problemText(
      'pitv.txt, line 3: wifi-country must be two letters such as DE or GB, not "Korea".',
      'ko',
    ),
    'pitv.txt, line 3: wifi-country 값 "Korea"을(를) 쓸 수 없어요. 허용: KR 같은 두 글자.',
  );
  assert.equal(problemText('The sky is falling.', 'ko'), 'The sky is falling.');
});

/** Checks the texts of the pages and the games in all languages, and the translations of the TV's problems. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ERRORS } from '../../app/errors/table.js';
import { loadCatalog } from '../../app/packages/catalog.js';
import { SavedFiles, parseJson } from '../../app/storage/saved-files.js';
import { findProblems } from '../../app/system/problems.js';
import { LANGUAGES } from '../../app/web/languages/index.js';
import { translateGame } from '../../app/web/lib/games.js';
import { chooseLanguage, formatText } from '../../app/web/lib/language.js';
import { problemText } from '../../app/web/lib/reports.js';
import { temporaryFolder } from '../support/tv.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const APP = join(ROOT, 'app/');
/** Where the sentences of the TV and the card are. */
const FOLDERS = ['app', 'image/common/root/usr/libexec/pitv', 'image/kiosk/root'];
/** Shorter parts between placeholders are not looked for. */
const MIN_PART = 4;
const games = await loadCatalog();

/** @typedef {import('../../app/web/lib/language.js').Language} Language */
/** @typedef {import('../../app/web/lib/language.js').LanguageCode} LanguageCode */

const languages = /** @type {[LanguageCode, Language][]} */ (Object.entries(LANGUAGES));
const keys = /** @type {(keyof Language['texts'])[]} */ (Object.keys(LANGUAGES.en.texts));

/** Longest texts, in columns; the first pattern that matches a key counts. @type {[RegExp, number][]} */
const MAX_COLUMNS = [
  [/^(place|points|bot|link\.(ms|fps))$/, 9],
  [/^(ok|pad\.score|pad\.gauge|screen\.(start|now)|screen\.key\.|stage\.(join|replay))/, 9],
  [/^(players|link\.|pad\.(ready|go|came|rank|won)|stage\.(left|contacts|round))/, 24],
  [/^(menu|pad\.(join|again|start|takeOver)|screen\.sound)/, 30],
  [/^replay\.(?!noVideo|open|invalid|recording|failed|ready)/, 30],
  [/^(stage|keypad\.(title|erase)|language|screen\.(watch|playHere|scan|noPlayers|phone))/, 36],
  [/^(system\.(memory|paper)\.hint|profiles\.(hint|heap))/, 170],
  [/./, 100],
];
const MAX_GAME_COLUMNS = Object.freeze({ title: 12, tagline: 36, rule: 70, button: 9, out: 24 });

/** Returns the width of a text in columns: Hangul and other wide letters have two. @param {string} text */
const columns = (text) => [...text].reduce((sum, letter) => sum + (letter >= '\u1100' ? 2 : 1), 0);

/** @param {string | import('../../app/web/lib/language.js').Forms} text @returns {string[]} */
function formsOf(text) {
  if (typeof text === 'string') return [text];
  return Object.values(text).filter((form) => typeof form === 'string');
}

/** @param {string} text @returns {string[]} names of the placeholders, sorted */
const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

/** Reads files of app/ with an extension. @param {string} folder @param {RegExp} extension */
const sourcesOf = (folder, extension) =>
  readdirSync(join(APP, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => extension.test(name) && !name.startsWith('languages/'))
    .map((name) => readFileSync(join(APP, folder, name), 'utf8'))
    .join('\n');

test('every language has every text, with the same placeholders', () => {
  for (const [code, { texts }] of languages) {
    assert.deepEqual(Object.keys(texts).sort(), [...keys].sort(), code);
    for (const key of keys) {
      const [first] = formsOf(LANGUAGES.en.texts[key]);
      for (const form of formsOf(texts[key])) {
        assert.notEqual(form.trim(), '', `${code} ${key}`);
        assert.deepEqual(placeholders(form), placeholders(first), `${code} ${key}`);
      }
    }
  }
});

test('a text with forms has one for each plural category of its language', () => {
  for (const [code, { texts }] of languages) {
    for (const [key, text] of Object.entries(texts)) {
      if (typeof text === 'string') continue;
      const { ordinal, ...forms } = text;
      const rules = new Intl.PluralRules(code, { type: ordinal ? 'ordinal' : 'cardinal' });
      const { pluralCategories } = rules.resolvedOptions();
      assert.deepEqual(Object.keys(forms).sort(), [...pluralCategories].sort(), `${code} ${key}`);
    }
  }
});

test('every text is used', () => {
  const sources = sourcesOf('web', /\.(js|html)$/);
  /** @param {string} key A page may make it with a value for one part, and asks with KEY.sure where it shows KEY. */
  const usesOf = (key) => {
    const parts = key.replace(/\.sure$/, '').split('.');
    const made = parts.map((_, i) => parts.map((part, k) => (k === i ? '\\$\\{[\\w.]+\\}' : part)));
    return [parts, ...made].map((each) => each.join('\\.')).join('|');
  };
  const unused = keys.filter((key) => !new RegExp(`['"\`](${usesOf(key)})['"\`]`).test(sources));
  assert.deepEqual(unused, []);
});

test('no text is too long for its place', () => {
  for (const [code, { texts }] of languages) {
    for (const [key, text] of Object.entries(texts)) {
      const max = MAX_COLUMNS.find(([pattern]) => pattern.test(key))?.[1] ?? 0;
      for (const form of formsOf(text)) {
        const plain = form.replace(/\{(\w+)\}/g, '');
        assert.ok(columns(plain) <= max, `${code} ${key} has ${columns(plain)} of ${max} columns`);
      }
    }
  }
});

test('the HTML names texts of the languages, and has no text or label of its own', () => {
  for (const page of ['pad', 'screen', 'admin', 'wifi', 'replay']) {
    const html = readFileSync(join(APP, 'web', page, 'index.html'), 'utf8');
    const used = [...html.matchAll(/data-(?:text|label|placeholder)="([^"]+)"/g)];
    for (const [, key] of used) assert.ok(key in LANGUAGES.en.texts, `${page}: ${key}`);
    assert.doesNotMatch(html, /aria-label=|data-text="[^>]*>\s*[^<\s]/, page);
  }
});

test('the fonts have all Hangul of the texts: the syllables of KS X 1001', () => {
  const css = readFileSync(join(APP, 'web/fonts/hangul.css'), 'utf8');
  assert.equal(css.match(/fonts\/(pages|names)-(400|700)\.woff2/g)?.length, 4);
  const decoder = new TextDecoder('euc-kr');
  const syllables = new Set();
  for (let row = 0xb0; row <= 0xc8; row++) {
    for (let cell = 0xa1; cell <= 0xfe; cell++)
      syllables.add(decoder.decode(Uint8Array.of(row, cell)));
  }
  const texts = ['web/languages', 'games'].map((folder) => sourcesOf(folder, /\.js$/)).join('');
  const hangul = [...texts].filter((letter) => letter >= '\uac00' && letter <= '\ud7a3');
  assert.ok(hangul.length > 100);
  assert.deepEqual(
    hangul.filter((letter) => !syllables.has(letter)),
    [],
  );
});

test('every language describes the errors that players see', () => {
  const server = ['pads', 'screens', 'replays', 'hub', 'connection'];
  const sources = [
    ...['lobby', 'match'].map((folder) => sourcesOf(folder, /\.js$/)),
    ...server.map((name) => readFileSync(join(APP, 'server', `${name}.js`), 'utf8')),
  ].join('\n');
  const thrown = new Set(
    [...sources.matchAll(/(?:new PitvError\(\s*|code: |: )'(PITV_\w+)'/g)].map(([, code]) => code),
  );
  assert.ok(thrown.has('PITV_CODE_WRONG') && thrown.has('PITV_INTERNAL'));
  for (const [code, { errors }] of languages) {
    const unknown = Object.keys(errors).filter((error) => !(error in ERRORS));
    assert.deepEqual(unknown, [], code);
    if (code === 'en') continue; // the TV's own messages
    const missing = [...thrown].filter((error) => !(error in errors));
    assert.deepEqual(missing, [], code);
  }
});

test('every game has its texts in every language, and none is too long', () => {
  for (const game of games) {
    for (const [code] of languages) {
      if (code !== 'en') assert.ok(code in game.translations, `${game.id} ${code}`);
      const translated = translateGame(/** @type {any} */ (game), code);
      const { title, tagline, rules, controls, view } = translated;
      const place = `${game.id} ${code}`;
      assert.ok(columns(title) <= MAX_GAME_COLUMNS.title, place);
      assert.ok(columns(tagline) <= MAX_GAME_COLUMNS.tagline, place);
      assert.equal(rules.length, game.rules.length, place);
      for (const rule of rules)
        assert.ok(columns(rule) <= MAX_GAME_COLUMNS.rule, `${place}: ${rule}`);
      assert.deepEqual(Object.keys(controls), Object.keys(game.controls), place);
      for (const [name, text] of Object.entries(controls)) {
        const [word] = text.split(/[:(,]/);
        const max = MAX_GAME_COLUMNS[name === 'out' ? name : 'button'];
        assert.ok(columns(word.trim()) <= max, `${place}: ${word}`);
      }
      assert.equal(typeof view.round, typeof game.view.round, place);
    }
  }
});

test('chooses the first language of the browser that the pages have', () => {
  assert.equal(chooseLanguage(['ko-KR', 'en']), 'ko');
  assert.equal(chooseLanguage(['de-DE', 'KO', 'en']), 'ko');
  assert.equal(chooseLanguage([null, 'en-GB', 'ko']), 'en');
  assert.equal(chooseLanguage(['de', 'constructor', '']), 'en');
});

test('formats numbers and selects the plural form of the language', () => {
  assert.equal(formatText('en', 'players', { count: 1 }), '1 player');
  assert.equal(formatText('en', 'players', { count: 1200 }), '1,200 players');
  assert.equal(formatText('ko', 'players', { count: 1 }), '1명');
  assert.equal(formatText('en', 'place', { count: 22 }), '22nd');
  assert.equal(formatText('ko', 'place', { count: 22 }), '22위');
  assert.equal(formatText('ko', 'stage.won', { name: '{name} $&' }), '{name} $& 승리!');
});

const sentences = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[^.]+$|\.(js|awk|service)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !/node_modules|\/web\//.test(path.slice(ROOT.length)))
    .map((path) => readFileSync(path, 'utf8')),
)
  .join('\n')
  .replaceAll('\\', '');

test('every translated sentence is one of the TV or the card', () => {
  for (const { problems } of Object.values(LANGUAGES)) {
    for (const [english, translated] of Object.entries(problems)) {
      const parts = english.split(/\{\d\}:?|\. |pitv\.txt: /);
      for (const part of parts.filter(({ length }) => length >= MIN_PART)) {
        assert.ok(sentences.includes(part.trim()), `${part} of ${english}`);
      }
      const places = (/** @type {string} */ text) => new Set(text.match(/\{\d\}/g));
      assert.deepEqual([...places(translated)].sort(), [...places(english)].sort(), english);
    }
  }
});

test('problems that the TV finds are in Korean, with their details', async () => {
  const dataDir = temporaryFolder();
  const files = new SavedFiles(dataDir);
  await writeFile(join(dataDir, 'broken'), '{');
  await mkdir(join(dataDir, 'folder'));
  await symlink('/etc/passwd', join(dataDir, 'link'));
  const format = { maxBytes: 100, parse: parseJson };
  for (const name of ['broken', 'folder', 'link']) await files.load(join(dataDir, name), format);
  const sources = { storeProblem: 'the disk is read-only', liveProblem: 'the disk is full' };
  const settings = { problemsDir: '', dataDir };
  const found = await findProblems(settings, { ...sources, fileProblems: files.problems });
  assert.equal(found.length, 5);
  const translated = found.map((sentence) => problemText(sentence, 'ko'));
  for (const text of translated) assert.match(text, /[가-힣]/);
  assert.ok(translated[0].startsWith(dataDir), translated[0]);
  assert.match(translated[0], /읽기 전용/);
  assert.match(translated.join(), /broken.*JSON 형식이 아니에요.*broken\.bad-1/);
  for (const text of translated) assert.doesNotMatch(text, /ignored|disk is|called/);
  for (const sentence of found) assert.equal(problemText(sentence, 'en'), sentence);
});

test('a setting that the card refuses is in Korean; an unknown sentence stays', () => {
  const refused = 'wifi-country must be two letters such as DE or GB, not "Korea".';
  assert.equal(
    problemText(`pitv.txt, line 3: ${refused}`, 'ko'),
    'pitv.txt, line 3: wifi-country 값 "Korea"을(를) 쓸 수 없어요. 허용: KR 같은 두 글자.',
  );
  assert.equal(problemText('The sky is falling.', 'ko'), 'The sky is falling.');
});

test('a sentence that quotes a long text of strangers is translated, or not, at once', () => {
  // With regular expressions, this would take hours.
  const quoted = `${': '.repeat(3000)}${' must be '.repeat(1500)}${', not "'.repeat(1500)}`;
  assert.equal(problemText(quoted, 'ko'), quoted);
  const translated = problemText(`a: ${quoted} must be b.`, 'ko');
  assert.match(translated, /^a: : .* 값을 쓸 수 없어요\. 허용: .*b\.$/s);
});

/** Checks the language of the commands, and their texts in other languages. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseSettings } from '../../app/config/parse.js';
import { ERRORS } from '../../app/errors/table.js';
import { COMMAND_TEXTS, errorText, systemLanguage, tvLanguage } from '../../app/language/index.js';
import { banner } from '../../app/system/banner.js';
import { LANGUAGES } from '../../app/web/languages/index.js';
import { startTv } from '../support/tv.js';

const APP = fileURLToPath(new URL('../../app/', import.meta.url));

/** @typedef {import('../../app/language/index.js').CommandTexts} CommandTexts */
const languages = /** @type {[string, CommandTexts][]} */ (Object.entries(COMMAND_TEXTS));
const sources = readdirSync(APP, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.js') && !/^(language|web)\//.test(name))
  .map((name) => readFileSync(join(APP, name), 'utf8'))
  .join('\n');

test('the environment selects the language by the rules of POSIX', () => {
  assert.equal(systemLanguage({ LANG: 'ko_KR.UTF-8' }), 'ko');
  assert.equal(systemLanguage({ LC_ALL: 'ko', LANG: 'en_US.UTF-8' }), 'ko');
  assert.equal(systemLanguage({ LC_ALL: 'C', LANG: 'ko_KR.UTF-8' }), 'en');
  assert.equal(systemLanguage({ LC_ALL: '', LC_MESSAGES: 'ko_KR@x', LANG: 'de_DE' }), 'ko');
  assert.equal(systemLanguage({ LANG: 'de_AT.UTF-8' }), 'en');
  assert.equal(systemLanguage({}), 'en');
});

test('the setting selects the language of the TV, otherwise the environment', () => {
  const languageOf = (/** @type {string} */ flag) => parseSettings(['--language', flag]).language;
  assert.equal(tvLanguage(languageOf('ko-KR'), { LANG: 'en_US' }), 'ko');
  assert.equal(tvLanguage(languageOf('ko_KR'), { LANG: 'en_US' }), 'ko');
  assert.equal(tvLanguage(languageOf('auto'), { LANG: 'ko_KR' }), 'ko');
  assert.equal(tvLanguage(languageOf('de-at'), { LANG: 'ko_KR' }), 'en');
  assert.throws(() => languageOf('<b>'), { code: 'PITV_USAGE' });
});

test('every error with a text in another language has a code, and no text in the pages', () => {
  for (const [code, { errors }] of languages) {
    const pages = LANGUAGES[/** @type {keyof typeof LANGUAGES} */ (code)].errors;
    const wrong = Object.keys(errors).filter((error) => !(error in ERRORS) || error in pages);
    assert.deepEqual(wrong, [], code);
  }
});

test('every translated sentence is in the code, with the same parts', () => {
  for (const [code, { sentences }] of languages) {
    for (const [english, translated] of Object.entries(sentences)) {
      const parts = (/** @type {string} */ text) => (text.match(/\{\d\}/g) ?? []).sort();
      assert.deepEqual(parts(translated), parts(english), `${code} ${english}`);
      const whole = english.split(/\{\d\}|"| See |'/);
      const [longest] = whole.sort((one, other) => other.length - one.length);
      const isOfNode = /^(Unknown option|Unexpected argument|Option)/.test(english);
      assert.ok(isOfNode || sources.includes(longest), `${code}: no code has "${longest}"`);
    }
  }
});

test('an error without a translation follows the general sentence of its code', () => {
  const unknown = { code: 'PITV_PORT_BUSY', message: 'Another program uses TCP port 80.' };
  assert.match(errorText(unknown, 'ko'), /^[가-힣].*\n {2}Another program uses TCP port 80\.$/);
  const known = { code: 'PITV_USAGE', message: '--port must be 0..65535, not "x".' };
  assert.match(errorText(known, 'ko'), /^--port의 값은 0\.\.65535/);
  assert.equal(errorText(known, 'en'), known.message);
  assert.equal(errorText({ message: 'no code' }, 'ko'), 'no code');
  const long = 'a | '.repeat(20_000); // as a game may throw it
  assert.equal(errorText({ message: long }, 'ko'), long);
});

test('the TV prints its banner and serves the screen in the language of its setting', async (t) => {
  const tv = await startTv(t, { args: ['--language', 'ko'] });
  tv.engine.choice = 'zygote: a forked process for each match.';
  const text = banner(tv, { colours: false }).replace('--screen-access code', '');
  const english = text.split('\n').filter((line) => /[a-z]{2,} [a-z]{2,}/.test(line));
  assert.deepEqual(english, []);
  const screen = await (await fetch(tv.url)).text();
  assert.match(screen, /<html data-volume="70" data-language="ko" lang="en"/);
  assert.doesNotMatch(await (await fetch(`${tv.url}/pad`)).text(), /data-language/);
});

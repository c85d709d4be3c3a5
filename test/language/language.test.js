/** Checks the language of the commands, and their texts in other languages. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { commandNames } from '../../app/commands/index.js';
import { parseSettings, serveHelp } from '../../app/config/parse.js';
import { SETTINGS } from '../../app/config/settings.js';
import { ERRORS } from '../../app/errors/table.js';
import { COMMAND_TEXTS, errorText, systemLanguage, tvLanguage } from '../../app/language/index.js';
import { banner } from '../../app/system/banner.js';
import { LANGUAGES } from '../../app/web/languages/index.js';
import { startTv } from '../support/tv.js';

const APP = fileURLToPath(new URL('../../app/', import.meta.url));
const BENCH_COMMANDS = new URL('../../bench/commands/', import.meta.url);
const run = promisify(execFile);

/** @typedef {import('../../app/language/index.js').CommandTexts} CommandTexts */
const languages = /** @type {[string, CommandTexts][]} */ (Object.entries(COMMAND_TEXTS));
const sources = readdirSync(APP, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.js') && !/^(language|web)\//.test(name))
  .map((name) => readFileSync(join(APP, name), 'utf8'))
  .join('\n');

/** Runs `pitv`. @param {string[]} args @param {string} locale @returns {Promise<string>} its output */
async function pitv(args, locale) {
  const env = { ...process.env, LC_ALL: locale };
  const { stdout } = await run(process.execPath, [join(APP, 'cli.js'), ...args], { env });
  return stdout;
}

/** Lists the flags in a help text. @param {string} text */
const flagsIn = (text) => [...text.matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag).sort();

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

test('every language has the texts of every command and setting, and no others', async () => {
  const commands = await commandNames();
  for (const [code, { summaries, settings, errors }] of languages) {
    assert.deepEqual(Object.keys(summaries).sort(), commands, code);
    assert.deepEqual(Object.keys(settings).sort(), Object.keys(SETTINGS).sort(), code);
    assert.deepEqual(
      Object.keys(errors).filter((error) => !(error in ERRORS)),
      [],
      code,
    );
    const pages = LANGUAGES[/** @type {keyof typeof LANGUAGES} */ (code)].errors;
    assert.deepEqual(
      Object.keys(errors).filter((error) => error in pages),
      [],
      'the pages have these texts',
    );
  }
});

test('every help text in another language names the same flags', async () => {
  /** @type {Record<string, string>} */
  const english = {};
  for (const command of ['games', 'fleet']) {
    const folder = new URL(`../../app/commands/${command}/`, import.meta.url);
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
      const { help } = await import(new URL(file, folder).href);
      english[`${command} ${file.slice(0, -'.js'.length)}`] = help;
    }
  }
  for (const file of readdirSync(BENCH_COMMANDS).filter((name) => name.endsWith('.js'))) {
    const { help } = await import(new URL(file, BENCH_COMMANDS).href);
    english[`bench ${file.slice(0, -'.js'.length)}`] = help;
  }
  for (const name of ['clip', 'ksm', 'pad', 'passwd', 'profile', 'udp', 'update', 'version'])
    english[name] = await pitv([name, '--help'], 'C');
  for (const [code, { helps }] of languages) {
    assert.deepEqual(Object.keys(helps).sort(), Object.keys(english).sort(), code);
    for (const [name, help] of Object.entries(helps)) {
      assert.deepEqual(flagsIn(help), flagsIn(english[name]), `${code} ${name}`);
    }
  }
  assert.equal(await pitv(['clip', '--help'], 'ko_KR.UTF-8'), COMMAND_TEXTS.ko?.helps.clip);
});

test('every translated sentence is in the code, with the same parts', () => {
  for (const [code, { sentences }] of languages) {
    for (const [english, translated] of Object.entries(sentences)) {
      const parts = (/** @type {string} */ text) => (text.match(/\{\d\}/g) ?? []).sort();
      assert.deepEqual(parts(translated), parts(english), `${code} ${english}`);
      const [longest] = english
        .split(/\{\d\}|"| See |'/)
        .sort((one, other) => other.length - one.length);
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
});

test('pitv serve --help has no English range or default in another language', () => {
  process.env.LC_ALL = 'ko_KR.UTF-8';
  try {
    const lines = serveHelp().split('\n');
    const english = lines.filter(
      (line) => / [a-z]+ [a-z]+ /.test(line) && !/^ {2}--/.test(line) && !/[가-힣]/.test(line),
    );
    assert.deepEqual(english, []);
    assert.deepEqual(
      lines.filter((line) => /(?<!-)\b(default|environment|empty|address|directory) /.test(line)),
      [],
    );
  } finally {
    process.env.LC_ALL = 'C.UTF-8';
  }
});

test('the TV prints its banner and serves the screen in the language of its setting', async (t) => {
  const tv = await startTv(t, { args: ['--language', 'ko'] });
  const text = banner(tv, { colours: false });
  const english = text.split('\n').filter((line) => /[a-z]{2,} [a-z]{2,}/.test(line));
  assert.deepEqual(
    english.filter((line) => !/[가-힣]/.test(line)),
    [],
  );
  const screen = await (await fetch(tv.url)).text();
  assert.match(screen, /<html data-language="ko" lang="en"/);
  assert.doesNotMatch(await (await fetch(`${tv.url}/pad`)).text(), /data-language/);
});

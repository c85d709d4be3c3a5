import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { alignColumns } from '../../app/commands/common/output.js';
import { readExcerpt } from '../../app/dev/excerpt.js';
import { createWarningLog } from '../../app/engine/host/log-warning.js';
import { captureStderr } from '../../app/engine/host/process-worker.js';
import { PitvError } from '../../app/errors.js';
import { hasHidden, visibleText } from '../../app/errors/visible-text.js';
import { silentLog } from '../../app/log.js';
import { temporaryFolder } from '../support/tv.js';

const APP = new URL('../../app/', import.meta.url);
/** A text of a stranger, and how it is shown. */
const EVIL = 'no \u001b[2J\u009b2J \u202eluck';
const SHOWN = 'no \\u001b[2J\\u009b2J \\u202eluck';

/** Texts that people write. */
const ORDINARY = [
  'Kick-off: 3–2 “goal” \\ 100 %',
  '안녕하세요, 하이파이브! ㅋㅋ',
  '\u1112\u119e\u11ab\u1100\u1160\u115f\u1161', // old Korean, with missing parts
  'Zoe\u0308 Ñandú עברית',
  'می\u200cخواهم', // Persian: the joiner separates two letters
  'क्\u200dष', // Hindi
  '👩‍👩‍👧 🏳️‍🌈 👍🏽 ❤️‍🔥 🧑🏽‍🚀 🇰🇷 1️⃣',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', // England
  '葛\u{e0100}城',
];

test('ordinary texts of all languages stay as they are', () => {
  for (const text of ORDINARY) {
    assert.equal(visibleText(text), text);
    assert.ok(!hasHidden(text), text);
  }
  assert.equal(visibleText('a\n\tb'), 'a\n\tb');
});

test('control, direction and invisible characters become visible', () => {
  const units = [0, 7, 8, 0xd, 0x1b, 0x7f, 0x80, 0x9b, 0x9f, 0xad, 0x61c, 0x180e, 0x200b, 0x200c];
  units.push(0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069);
  units.push(0x206f, 0x3164, 0xd800, 0xdfff, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0x115f, 0x1160);
  for (const unit of units) {
    const text = `a${String.fromCharCode(unit)}b`;
    assert.equal(visibleText(text), `a\\u${unit.toString(16).padStart(4, '0')}b`);
    assert.ok(hasHidden(text), unit.toString(16));
  }
  assert.equal(visibleText('a\u{e0041}'), 'a\\udb40\\udc41');
  assert.ok(hasHidden('two\nlines') && hasHidden('a\tb'), 'in a title');
});

test('a line of JSON keeps its meaning', () => {
  const value = { text: '\u001b[31m \u009b2J \u202e \u{e0041} "\\" 한글' };
  assert.deepEqual(JSON.parse(visibleText(JSON.stringify(value))), value);
});

test('a long text of joiners and tags takes no long time', () => {
  for (const text of ['🏴', '\u200d', 'e\u0301\u200d', '\u{e0041}', '\u115f']) {
    assert.ok(visibleText(text.repeat(100_000)).length >= 100_000);
  }
});

test('the message of an error is visible', () => {
  assert.equal(new PitvError('PITV_USAGE', 'a\u001b[2J').message, 'a\\u001b[2J');
});

test('the log shows texts of strangers as text, and its lines keep their meaning', async () => {
  const script = `import { createLog } from '${new URL('log.js', APP)}';
    const { log, flush } = createLog('info');
    log.warn({ error: ${JSON.stringify(EVIL)} }, 'a game');
    flush();`;
  const flags = ['--input-type=module', '--eval', script];
  const { stderr } = await promisify(execFile)(process.execPath, flags);
  assert.ok(stderr.includes(SHOWN), stderr);
  assert.equal(JSON.parse(stderr).error, EVIL);
});

test('warnings and the stderr of a locked worker are shown as text', async () => {
  /** @type {string[]} */
  const seen = [];
  createWarningLog(silentLog, 'evil', (sentence) => seen.push(sentence))(EVIL);
  for (const locked of [true, false]) {
    const stderr = new PassThrough();
    const read = captureStderr(stderr, (text) => seen.push(text), locked);
    stderr.end(EVIL);
    await read();
  }
  assert.deepEqual(seen, [SHOWN, SHOWN, EVIL]);
});

test('tables and excerpts of source code are shown as text', async () => {
  assert.equal(alignColumns([[EVIL, 'x'], ['y']]), `${SHOWN}  x\ny\n`);
  const folder = temporaryFolder({ 'game.js': `one\r\n\t${EVIL}\n` });
  const excerpt = await readExcerpt(folder, 'game.js:2');
  const lines = excerpt?.lines.map(({ text }) => text);
  assert.deepEqual(lines, ['one', `\t${SHOWN}`, '']);
});

const WRITES = /process\.std(?:out|err)\s*\.write\(.*/g;

test('commands write through output.js, except what moves the cursor or draws the banner', () => {
  const folder = fileURLToPath(new URL('commands/', APP));
  const raw = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && name !== 'common/output.js')
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').match(WRITES) ?? [])
    .filter((call) => !/write\((?:[`']\\r|banner\()/.test(call));
  assert.deepEqual(raw, []);
});

/** Compares the table of piscina's options in docs/runtime.md with the checks of these options. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkPoolOptions } from '../../app/pool/options.js';
import { DIFFERENCES } from './piscina-differences.js';
import { MEMBERS } from './piscina-members.js';
import { OPTIONS, RUN_OPTIONS } from './piscina-options.js';

const PAGE = new URL('../../docs/runtime.md', import.meta.url);
const SOURCE = new URL('../../node_modules/piscina/src/index.ts', import.meta.url);

/** The first cells of the table's rows. */
const names = readFileSync(PAGE, 'utf8')
  .split('| Name | With pitv/pool | Why |')[1]
  .split('\n\n')[0]
  .split('\n')
  .slice(2)
  .map((row) => row.split('|')[1].trim());

/** Lists the names of an interface. @param {string} name */
const fieldsOf = (name) => {
  const [, body] = new RegExp(`interface ${name} \\{([^}]*)\\}`).exec(
    readFileSync(SOURCE, 'utf8'),
  ) ?? ['', ''];
  return [...body.matchAll(/^ {2}(\w+)\??\s*:/gm)].map(([, field]) => field);
};

test('every option of piscina has a row in docs/runtime.md and a check', () => {
  const options = fieldsOf('Options');
  assert.ok(options.length > 15);
  for (const option of options) {
    assert.ok(names.includes(`\`${option}\``), `${option}: row`);
    assert.ok(option in OPTIONS, `${option}: check`);
  }
  for (const option of fieldsOf('RunOptions')) {
    const row = names.find((name) => name.startsWith('`run()`') && name.includes(`\`${option}\``));
    assert.ok(row, `run(): ${option}`);
    assert.ok(option in RUN_OPTIONS, `run(): ${option}: check`);
  }
});

test('every row of docs/runtime.md has a check on every engine, and every check has a row', () => {
  const subjects = (/** @type {string} */ row) => {
    const quoted = [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    return quoted.length > 0 ? quoted.filter((name) => name !== 'run()') : [row];
  };
  const checks = [OPTIONS, RUN_OPTIONS, MEMBERS, DIFFERENCES]
    .flatMap(Object.keys)
    .flatMap((check) => check.split(', '));
  const rows = names.flatMap(subjects);
  assert.deepEqual([...new Set(rows)].sort(), [...new Set(checks)].sort());
});

test('docs/pool.md has a row for every option, and no other', () => {
  /** @type {string[]} */
  let options = [];
  assert.throws(
    () => checkPoolOptions({ none: 1 }),
    (/** @type {Error} */ { message }) => {
      options = (message.match(/Options: (.*)\./)?.[1] ?? '').split(', ');
      return options.length > 20;
    },
  );
  const page = readFileSync(new URL('../../docs/pool.md', import.meta.url), 'utf8');
  const [table] = page.split('| Option | Default | What it does |')[1].split('\n\n');
  const rows = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(rows.sort(), options.sort());
});

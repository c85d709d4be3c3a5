/** From which suites of Debian a card is made: apt.sh with an apt-get that knows the given ones. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { APT, readSuites, release } from '../../image/sd/apt.js';
import { temporaryFolder } from '../support/folders.js';
import { setVariable } from '../support/tv.js';
import { writeTree } from './files.js';

/** Writes the signed list of the suite in the sources that it gets, unless the mirror has none. */
const APT_GET = `#!/bin/sh
for each; do
  case $each in
    *sourcelist=*) sources=\${each#*=} ;;
    *lists=*) lists=\${each#*=} ;;
  esac
done
[ -n "$sources" ] || exit 0
read -r _ _ _ suite _ <"$sources"
case " $SUITES " in *" $suite "*) ;; *) echo "E: no $suite" >&2; exit 100 ;; esac
printf 'Codename: %s\\nDate: Sat, 21 Nov 2026 09:15:44 UTC\\n' "$suite" >"$lists/x_InRelease"
`;

/** @param {import('node:test').TestContext} t @param {string} suites that the mirror has @param {object} [more] */
function makeLists(t, suites, more) {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'apt-get'), APT_GET, { mode: 0o755 });
  const lists = join(folder, 'lists');
  const PATH = `${folder}:${process.env.PATH}`;
  const env = { PATH, PITV_IMAGE_MIRROR: 'http://mirror/debian', SUITES: suites, ...more };
  const { status, stderr } = spawnSync(APT, ['armhf', lists], { encoding: 'utf8', env });
  return { status, stderr, lists };
}

test('a card has the suites with updates, and knows the dates of their lists', async (t) => {
  const { status, stderr, lists } = makeLists(t, 'trixie trixie-updates trixie-security');
  assert.deepEqual([status, stderr], [0, '']);
  const date = '2026-11-21';
  const suites = ['trixie', 'trixie-updates', 'trixie-security'].map((suite) => ({ suite, date }));
  assert.deepEqual(await readSuites([{ folder: lists }]), suites);
  const sources = readFileSync(join(lists, 'sources.list'), 'utf8');
  assert.match(sources, / http:\/\/mirror\/debian-security trixie-security main/);
});

test('a mirror without security updates makes no card, unless that is asked for; its layers have another key', (t) => {
  const refused = makeLists(t, 'trixie trixie-updates');
  assert.equal(refused.status, 100);
  assert.match(refused.stderr, /no trixie-security for armhf.*\bPITV_IMAGE_SECURITY=optional/);
  const { status, stderr, lists } = makeLists(t, 'trixie', { PITV_IMAGE_SECURITY: 'optional' });
  assert.equal(status, 0);
  assert.match(stderr, /^warning: .* no trixie-updates.*\nwarning: .* no trixie-security/m);
  assert.equal(readFileSync(join(lists, 'suites.tsv'), 'utf8'), 'trixie\t2026-11-21\n');
  setVariable(t, 'PITV_IMAGE_SECURITY', '');
  const [, edition] = release();
  process.env.PITV_IMAGE_SECURITY = 'optional';
  assert.notEqual(release()[1], edition);
});

test('of two layers, the suites of both count, with the older date', async (t) => {
  const root = temporaryFolder(t);
  writeTree(root, {
    'a/suites.tsv': 'trixie\t2026-11-21\ntrixie-security\t2026-11-22\n',
    'b/suites.tsv': 'trixie\t2026-11-20\n',
  });
  const layers = ['a', 'b'].map((name) => ({ folder: join(root, name) }));
  assert.deepEqual(await readSuites(layers), [{ suite: 'trixie', date: '2026-11-20' }]);
});

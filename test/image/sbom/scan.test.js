/** Tests of the scan of a card's bill of materials, with debsecan and small databases. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { isAffected } from '../../../image/sbom/npm.js';
import { compareVersions } from '../../../image/sbom/versions.js';
import { createBill, parsePackages } from '../../../image/sd/materials.js';

const SCAN = fileURLToPath(new URL('../../../image/sbom/scan.js', import.meta.url));

/** Packages of the card: name, version, source. */
const DEBIAN = `
libold1	1.0-1	old	armhf	1
librebuilt1	2.0-1+b3	rebuilt	armhf	1
libnew1	3.0-2	new	armhf	1
linux-image-6.12-arm64	6.12.1-1	linux-signed-arm64 (6.12.1+1)	arm64	1
`;
const NPM = [
  { name: 'ws', version: '8.0.0', license: 'MIT' },
  { name: '@scope/part', version: '1.2.0', license: 'MIT' },
];

/**
 * Debian's file for debsecan: vulnerabilities; then the package, the vulnerability's number, flags (source package,
 * urgency, remote, fix available), the corrected version, and versions of other releases that are not affected; then
 * the binary packages of each source.
 */
const TRACKER = `VERSION 1
CVE-1,,in old
CVE-2,,in rebuilt
CVE-3,,in new
CVE-4,,in the kernel

old,0,SHRF,1.0-2,
rebuilt,1,SL  ,2.0-2,2.0-1
new,2,SM  ,3.0-2,
linux,3,SL F,6.12.2-1,

old,libold1
`;

/** @param {string} id @param {string} name @param {object[]} events @param {object} [more] */
const record = (id, name, events, more = {}) => ({
  id,
  summary: `in ${name}`,
  database_specific: { severity: 'HIGH' },
  ...more,
  affected: [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events }] }],
});
const RECORDS = [
  record('GHSA-1', 'ws', [{ introduced: '0' }, { fixed: '8.0.1' }]),
  record('GHSA-2', 'ws', [{ introduced: '8.0.1' }]),
  record('GHSA-3', '@scope/part', [{ introduced: '1.0.0' }, { last_affected: '1.2.0' }]),
  record('GHSA-4', 'ws', [{ introduced: '0' }], { withdrawn: '2026-01-01T00:00:00Z' }),
  record('GHSA-5', 'other', [{ introduced: '0' }]),
];

/** @type {string} */
let work;
/** @type {string} */
let sbom;
before(() => {
  work = mkdtempSync(join(tmpdir(), 'pitv-sbom-'));
  sbom = join(work, 'card.spdx.json');
  const bill = createBill({
    name: 'card.img',
    version: '1',
    sha256: 'ab',
    epochS: 0,
    suite: 'trixie',
    npm: NPM,
    debian: parsePackages(DEBIAN.trim()),
  });
  writeFileSync(sbom, JSON.stringify(bill));
});
after(() => rmSync(work, { recursive: true, force: true }));

/** Makes a database. @param {string} name @param {{tracker?: string, records?: object[]}} content */
function makeDatabase(name, { tracker = TRACKER, records = RECORDS }) {
  const folder = join(work, name);
  mkdirSync(join(folder, 'npm'), { recursive: true });
  if (tracker) writeFileSync(join(folder, 'trixie'), deflateSync(tracker));
  records.forEach((each, index) =>
    writeFileSync(join(folder, 'npm', `${index}.json`), JSON.stringify(each)),
  );
  return folder;
}

/** @param {string[]} args */
const scan = (...args) =>
  spawnSync(process.execPath, [SCAN, '--sbom', sbom, ...args], { encoding: 'utf8' });

const noDebsecan = spawnSync('debsecan', ['--help']).status !== 0 && 'debsecan is missing';

test(
  'vulnerabilities of the installed versions are found, others are not',
  { skip: noDebsecan },
  () => {
    const { status, stdout, stderr } = scan('--db', makeDatabase('full', {}));
    assert.equal(status, 1, stderr);
    const lines = stdout.trimEnd().split('\n');
    const summary = lines.pop() ?? '';
    assert.deepEqual(lines.map((line) => line.split('\t').slice(0, 3).join(' ')).sort(), [
      'CVE-1 libold1 1.0-1 fixed',
      'CVE-4 linux-image-6.12-arm64 6.12.1-1 fixed',
      'GHSA-1 ws 8.0.0 fixed',
      'GHSA-3 @scope/part 1.2.0 not fixed',
    ]);
    assert.match(
      lines.find((line) => line.startsWith('CVE-1')) ?? '',
      /remotely exploitable, high/,
    );
    assert.match(summary, /4 known vulnerabilities, 3 of them with a corrected version/);
    assert.match(summary, /4 Debian packages .* 2 npm packages/);
  },
);

test('--only-fixed lists what an update would correct', { skip: noDebsecan }, () => {
  const { stdout } = scan('--db', makeDatabase('fixed', {}), '--only-fixed');
  assert.doesNotMatch(stdout, /GHSA-3/);
  assert.match(stdout, /3 known vulnerabilities, 3 of them/);
});

test('the exit status is 0 if nothing is found', { skip: noDebsecan }, () => {
  const tracker = 'VERSION 1\nCVE-1,,in old\n\nold,0,SHRF,1.0-1,\n\nold,libold1\n';
  const { status, stdout } = scan('--db', makeDatabase('none', { tracker, records: [RECORDS[4]] }));
  assert.match(stdout, /0 known vulnerabilities/);
  assert.equal(status, 0);
});

test('a missing or damaged database is an error, not a clean result', { skip: noDebsecan }, () => {
  const withoutTracker = scan('--db', makeDatabase('empty', { tracker: '' }));
  assert.equal(withoutTracker.status, 2);
  assert.match(withoutTracker.stderr, /no file trixie/);
  const withoutRecords = scan('--db', makeDatabase('no-npm', { records: [] }));
  assert.equal(withoutRecords.status, 2);
  const damaged = makeDatabase('damaged', {});
  writeFileSync(join(damaged, 'trixie'), 'not compressed');
  assert.notEqual(scan('--db', damaged).status, 0);
  assert.equal(scan().status, 2, 'without --db');
});

test('versions are compared by the rules of semantic versioning', () => {
  const ordered =
    '1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.10.0 2.0.0';
  const versions = ordered.split(' ');
  assert.deepEqual([...versions].reverse().sort(compareVersions), versions);
  assert.equal(compareVersions('1.0.0+a', 'v1.0.0+b'), 0);
});

test('ranges of OSV: fixed excludes its version, last_affected includes it, a range may begin again', () => {
  const events = [
    { introduced: '0' },
    { fixed: '1.5.0' },
    { introduced: '2.0.0' },
    { last_affected: '2.1.0' },
  ];
  const affected = {
    package: { ecosystem: 'npm', name: 'a' },
    ranges: [{ type: 'SEMVER', events }],
  };
  const versions = [
    '0.0.0-alpha',
    '1.4.9',
    '1.5.0-rc.1',
    '1.5.0',
    '1.9.0',
    '2.0.0',
    '2.1.0',
    '2.1.1',
  ];
  assert.deepEqual(
    versions.filter((version) => isAffected(version, affected)),
    ['0.0.0-alpha', '1.4.9', '1.5.0-rc.1', '2.0.0', '2.1.0'],
  );
  assert.ok(isAffected('3.0.0', { ...affected, versions: ['3.0.0'] }));
});

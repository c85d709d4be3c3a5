/**
 * Tests of rules that the layer keeps, so that it fits into builds of others. bitbake.long.test.js has what BitBake
 * makes of them.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { LAYER, ROOT } from './files.js';

/** Every file's text without comments, with continued lines joined, by its path in the layer. */
const texts = new Map(
  readdirSync(LAYER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(bb|bbappend|bbclass|inc|conf)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [
      relative(LAYER, path),
      readFileSync(path, 'utf8')
        .replace(/^#.*\n/gm, '')
        .replace(/\\\n\s*/g, ''),
    ]),
);

/** @param {RegExp} name @returns {[string, string][]} path and text */
const matching = (name) => [...texts].filter(([path]) => name.test(path));

test('recipes of other layers are changed for the distribution pitv-os only', () => {
  const appends = matching(/\.bbappend$/);
  assert.ok(appends.length >= 5);
  for (const [path, text] of appends) {
    for (const line of text.split('\n').filter(Boolean))
      assert.match(line, /^[A-Z_0-9]+(:append|:prepend)?:pitv-os :?\??= /, path);
  }
});

test("functions on the root run after those of the classes, one of which applies systemd's presets", () => {
  const lines = matching(/images\//).flatMap(([, text]) =>
    text.split('\n').filter((line) => line.startsWith('ROOTFS_POSTPROCESS_COMMAND')),
  );
  assert.ok(lines.length >= 3);
  for (const line of lines) assert.match(line, /^ROOTFS_POSTPROCESS_COMMAND:append = " /);
});

test('an image gets what its machine recommends, and says which distribution it needs', () => {
  const image = texts.get('recipes-pitv/images/pitv-image.inc') ?? '';
  assert.match(image, /^IMAGE_INSTALL = ".*\bpackagegroup-machine-base\b/m);
  assert.match(image, /raise bb\.parse\.SkipRecipe\(\s*'made for DISTRO = "pitv-os"/);
});

test('no folder of the build host is in the text of a task', () => {
  for (const [path, text] of matching(/\.(bb|inc|bbclass)$/)) {
    const shell = [...text.matchAll(/^\w+\(\) \{\n[^]*?^\}$/gm)].join('\n');
    assert.doesNotMatch(shell, /\$\{(PITV_DIST|LAYERDIR|THISDIR|COREBASE|TOPDIR)\}/, path);
  }
  assert.deepEqual(
    [...texts].filter(([, text]) => text.includes('${LAYERDIR}')).map(([path]) => path),
    ['conf/layer.conf'],
  );
});

test('databases of vulnerabilities are downloaded on request only', () => {
  for (const [path, text] of texts) assert.doesNotMatch(text, /sbom-cve-check/, path);
  const request = readFileSync(join(LAYER, '../kas/cve.yml'), 'utf8');
  assert.match(request, /OE_FRAGMENTS \+= "core\/yocto\/sbom-cve-check"/);
});

test('settings of the firmware for HDMI, which the kernel ignores, are not used', () => {
  for (const [path, text] of texts)
    assert.doesNotMatch(text, /\b(HDMI_|DISABLE_OVERSCAN|CONFIG_HDMI)/, path);
});

test('the layer has the texts that yocto-check-layer asks for', () => {
  const read = (/** @type {string} */ name) => readFileSync(join(LAYER, name), 'utf8');
  assert.equal(read('LICENSE'), readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
  assert.match(read('SECURITY.md'), /Report a vulnerability/);
  assert.match(read('README.md'), /maintained[^]*patches/);
});

/**
 * BitBake evaluates the layer's recipes together with the other layers, for every board and for another distribution.
 * It needs their sources: PITV_YOCTO_LAYERS, see upstream.js.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { before, describe, test } from 'node:test';
import { DISK_SIGNATURE } from '../../../image/sd/card.js';
import { words } from '../../../image/sd/shell.js';
import { makeDist } from '../../../image/yocto/dist.js';
import { temporaryFolder } from '../../support/folders.js';
import { LAYER, YOCTO, filesBelow, nameOf } from './recipes.js';
import { describePackages, evaluate, lacksLayers, makeBuild, upstream } from './upstream.js';

/** @typedef {import('./upstream.js').Build} Build */

const WITH_WIFI = ['raspberrypi0-2w', 'raspberrypi3', 'raspberrypi4'];
const BOARDS = ['raspberrypi', 'raspberrypi2', ...WITH_WIFI];

const APPENDS = join(LAYER, 'dynamic-layers/raspberrypi');
const appends = filesBelow(APPENDS);
/** Recipes of other layers, and the same with our appends. */
const unchanged = appends.map((path) => {
  const recipe = relative(APPENDS, path).replace(/_?%/, '_6.18').replace('.bbappend', '.bb');
  return upstream('meta-raspberrypi', recipe);
});
const changed = unchanged.map((recipe, i) => `${recipe}+${appends[i]}`);

/** The layer's recipes, and those that it changes, by nameOf(). */
const PATHS = new Map(filesBelow(LAYER).map((path) => [nameOf(path), path]));
for (const [i, path] of unchanged.entries()) PATHS.set(nameOf(path), changed[i]);
const pathsOf = (/** @type {string[]} */ ...names) => names.map((name) => PATHS.get(name) ?? name);

/** Where the archive of the released layer is. */
const RELEASE = 'https://example.org/pitv/';

/** The lines that testimage.yml adds to local.conf. */
const TESTIMAGE = readFileSync(join(YOCTO, 'kas/testimage.yml'), 'utf8')
  .split('testimage: |\n')[1]
  .replace(/^ +/gm, '');

/** Expects functions in this order after those of the classes. @param {string[]} functions */
const last = (...functions) =>
  new RegExp(
    `^(?=.*systemd_handle_machine_id)((?!pitv_).)*${functions.join('[\\s;]+')}[\\s;]*$`,
    's',
  );

describe('with the other layers', { skip: lacksLayers() }, () => {
  const work = temporaryFolder();
  const sources = join(work, 'dist');
  const key = (/** @type {string} */ folder) => `PITV_UPDATE_KEY = "${join(work, folder)}"`;
  const rauc = { more: ['meta-rauc'], settings: key('key') };
  /** @type {Awaited<ReturnType<typeof makeDist>>} */
  let dist;
  let count = 0;

  before(async () => {
    chmodSync(work, 0o755);
    dist = await makeDist({ out: sources, url: RELEASE, level: 0 });
  });

  /** Makes a build with the archive. @param {Build} [options] @param {string} [folder] */
  const build = (options = {}, folder = `build-${++count}`) =>
    makeBuild(join(work, folder), { sources, ...options });

  /**
   * Evaluates recipes, and checks that they are used, and what their variables and the names of their tasks are.
   * @param {string} title @param {Build} options
   * @param {Record<string, Record<string, RegExp>>} expected by recipe, and variable or TASKS
   */
  function expect(title, options, expected) {
    test(title, { skip: lacksLayers(options.more) }, async () => {
      const names = ['PV', ...Object.values(expected).flatMap(Object.keys)];
      const found = await evaluate(build(options), pathsOf(...Object.keys(expected)), names);
      for (const [recipe, { skipped, variables, tasks }] of Object.entries(found)) {
        /** @type {Record<string, string>} */
        const values = { ...variables, TASKS: Object.keys(tasks).join(' ') };
        if (recipe.startsWith('pitv')) assert.equal(skipped, null, recipe);
        if (/^pitv(?!-image)/.test(recipe)) assert.equal(values.PV, dist.version, recipe);
        for (const [name, value] of Object.entries(expected[recipe]))
          assert.match(String(values[name]), value, `${recipe}: ${name}`);
      }
    });
  }

  for (const machine of [...BOARDS, 'qemuarm']) {
    const image = {
      IMAGE_INSTALL: /\bpackagegroup-machine-base\b/,
      IMAGE_CLASSES: /^(?!.*sbom-cve-check)/s,
      MACHINE_EXTRA_RRECOMMENDS: WITH_WIFI.includes(machine) ? /\blinux-firmware-\S*bcm43/ : /^/,
    };
    const common = 'pitv_install_common';
    const dev = last(common, 'pitv_dev_login', 'pitv_inspector');
    const title = `${machine}: images change the root last, and get what the machine recommends`;
    expect(
      title,
      { machine },
      {
        'pitv-image.bb': { ...image, ROOTFS_POSTPROCESS_COMMAND: last(common) },
        'pitv-image-dev.bb': { ...image, ROOTFS_POSTPROCESS_COMMAND: dev },
        'pitv-system.bb': {},
        'pitv.bb': {},
      },
    );
  }

  for (const machine of BOARDS)
    expect(
      `${machine}: with PITV_UPDATE_KEY there are two systems`,
      { machine, ...rauc },
      {
        'pitv-image.bb': {
          IMAGE_FSTYPES: /^squashfs-lz4 .*\bpitvcard\.xz\b/,
          IMAGE_INSTALL: /\bpitv-update\b/,
          BAD_RECOMMENDATIONS: /\brauc-mark-good\b/,
          // U-Boot in the kernel's place, one script, and no kernel: that is in the slots
          IMAGE_BOOT_FILES:
            /^(?!(.*\s)?zImage)(?!.*boot\.scr\s.*boot\.scr)(?=.*boot\.scr)(?=.*\bu-boot\.bin;kernel\w*\.img\b)/s,
          TASKS: /\bdo_image_pitvcard\b/,
        },
        'pitv-update.bb': {
          KERNEL_IMAGETYPE: /^zImage$/,
          UBOOT_ARCH: /^arm$/,
          SRC_URI: /file:\/\/keyring\.pem/,
        },
        'pitv-bundle.bb': { RAUC_BUNDLE_COMPATIBLE: new RegExp(`^pitv-yocto-${machine}$`) },
      },
    );

  expect(
    'the kernel can mount the root and a bundle, and the root is named by U-Boot',
    { machine: BOARDS[0], ...rauc },
    {
      'rpi-cmdline.bb': { CMDLINE: / rootfstype=squashfs / },
      'linux-raspberrypi.bb': { SRC_URI: /file:\/\/pitv-update\.cfg/ },
    },
  );

  expect(
    'with meta-webkit and PITV_KIOSK, the image has a browser',
    { machine: 'raspberrypi4', settings: 'PITV_KIOSK = "1"', more: ['meta-webkit'] },
    {
      'pitv-image.bb': {
        IMAGE_INSTALL: /\bpitv-kiosk\b/,
        BAD_RECOMMENDATIONS: /\bweston-init\b/,
        DISTRO_FEATURES: /^(?=.*\bopengl\b)(?=.*\bwayland\b)(?=.*\balsa\b)/,
      },
      'rpi-cmdline.bb': { CMDLINE: /\bcma=192M\b/ },
      'pitv-kiosk.bb': { 'RDEPENDS:pitv-kiosk': /\bcog\b.*\bweston\b/s },
    },
  );

  expect(
    'testimage.yml starts the image for developers with a login prompt',
    { machine: 'qemuarm', settings: TESTIMAGE },
    {
      'pitv-image-dev.bb': {
        TEST_SUITES: /^pitv$/,
        TEST_RUNQEMUPARAMS: /\bslirp\b/,
        SERIAL_CONSOLES: /ttyAMA0 .*hvc0/, // QEMU's second console has the login prompt for which the tests wait
        IMAGE_FEATURES: /\bempty-root-password\b/,
        IMAGE_FSTYPES: /\bext4\b/,
        QB_DEFAULT_FSTYPE: /^ext4$/,
        TASKS: /\bdo_testimage\b/,
      },
    },
  );

  expect(
    "the kernel's command line names the root of the card, and KMS sets the picture",
    { machine: 'raspberrypi3' },
    {
      'rpi-cmdline.bb': { CMDLINE: new RegExp(` root=PARTUUID=${DISK_SIGNATURE}-02 .* ro `) },
      'rpi-config_git.bb': { VC4DTBO: /^vc4-kms-v3d$/, HDMI_FORCE_HOTPLUG: /^null$/ },
      'linux-raspberrypi.bb': { SRC_URI: /file:\/\/pitv\.cfg/ },
    },
  );

  for (const [options, reason] of /** @type {[Build, RegExp][]} */ ([
    [{ settings: key('key') }, /meta-rauc/],
    [{ settings: 'PITV_KIOSK = "1"' }, /meta-webkit/],
    [{ distro: 'nodistro', settings: 'INIT_MANAGER = "systemd"' }, /DISTRO = "pitv-os"/],
  ]))
    test(`the images say that they need ${reason.source}`, async () => {
      const folder = build({ machine: BOARDS[0], ...options });
      const images = await evaluate(folder, pathsOf('pitv-image.bb', 'pitv-image-dev.bb'));
      for (const { skipped } of Object.values(images)) assert.match(skipped ?? '', reason);
    });

  test('for another distribution, pitv can be used, and other layers stay as they are', async () => {
    const settings = 'INIT_MANAGER = "systemd"';
    const other = build({ machine: BOARDS[0], distro: 'nodistro', settings });
    const own = await evaluate(other, pathsOf('pitv.bb', 'pitv-system.bb'));
    for (const [name, { skipped }] of Object.entries(own)) assert.equal(skipped, null, name);
    const tasks = async (/** @type {string} */ folder, /** @type {string[]} */ recipes) =>
      Object.values(await evaluate(folder, recipes)).map((recipe) => recipe.tasks);
    assert.deepEqual(await tasks(other, changed), await tasks(other, unchanged));
    const pitvOs = build({ machine: BOARDS[0] });
    const before = await tasks(pitvOs, unchanged);
    const after = await tasks(pitvOs, changed);
    for (const [i, recipe] of unchanged.entries()) assert.notDeepEqual(after[i], before[i], recipe);
  });

  test('the places of the layer, its sources and the key are in no hash of a task', async () => {
    const [layer, other] = ['meta-pitv', 'dist'].map((name) => join(work, 'elsewhere', name));
    const elsewhere = { layer, sources: other };
    cpSync(LAYER, layer, { recursive: true });
    cpSync(sources, other, { recursive: true });
    const withRauc = !lacksLayers(rauc.more);
    // In one folder, because BitBake's own functions have that of the build in their text.
    const evaluateIn = async (/** @type {Build} */ where, /** @type {string} */ name) => {
      const options = withRauc ? { ...rauc, machine: BOARDS[0], settings: key(name) } : {};
      const folders = ['recipes-pitv', ...(withRauc ? ['dynamic-layers/rauc'] : [])];
      const own = folders.flatMap((name) => filesBelow(join(where.layer ?? LAYER, name)));
      const recipes = await evaluate(
        build({ ...options, ...where }, 'same'),
        own.filter((path) => path.endsWith('.bb')),
      );
      // It writes the names of all layers into a file, also for other images.
      for (const { tasks } of Object.values(recipes)) delete tasks.do_rootfs_wicenv;
      return recipes;
    };
    const here = await evaluateIn({}, 'key');
    assert.ok('do_rootfs' in here['pitv-image.bb'].tasks);
    assert.deepEqual(await evaluateIn(elsewhere, 'other-key'), here);
  });

  test('the npm packages are added to the SPDX document of the package', async () => {
    const folder = build();
    const spdx = join(folder, 'spdx');
    mkdirSync(spdx);
    chmodSync(spdx, 0o777);
    const licenses = `pitv-${dist.version}/licenses.json`;
    execFileSync('tar', words`-xJf ${dist.archive} -C ${spdx} --strip-components=1 ${licenses}`);
    const elements = await describePackages(folder, pathsOf('pitv.bb')[0], spdx);
    const listed = JSON.parse(readFileSync(join(spdx, 'licenses.json'), 'utf8'));
    const parts = elements.filter((each) => each.software_packageUrl?.startsWith('pkg:npm/'));
    const found = parts.map(({ name, software_packageVersion: version }) => `${name} ${version}`);
    const expected = listed.map((/** @type {any} */ { name, version }) => `${name} ${version}`);
    assert.deepEqual(found.sort(), [...new Set(expected)].sort());
    const { to } = elements.find(({ relationshipType: type }) => type === 'contains');
    assert.deepEqual(to.sort(), parts.map(({ spdxId }) => spdxId).sort());
    const licensed = elements.filter(({ relationshipType: type }) => type === 'hasDeclaredLicense');
    assert.equal(licensed.length, parts.length);
  });

  test('a released layer knows where its archive is, and its checksum', async () => {
    const layer = join(work, 'meta-pitv');
    execFileSync('tar', ['-xJf', dist.layer ?? '', '-C', work]);
    const recipe = filesBelow(layer).find((path) => nameOf(path) === 'pitv.bb') ?? '';
    const names = ['SRC_URI', 'PITV_ARCHIVE_SHA256'];
    const found = await evaluate(build({ layer, sources: '/nowhere' }), [recipe], names);
    const { skipped, variables } = found['pitv.bb'];
    const [uri, sha256] = names.map((name) => variables[name]);
    assert.deepEqual([skipped, uri, sha256], [null, RELEASE + basename(dist.archive), dist.sha256]);
  });
});

/**
 * BitBake evaluates the layer's recipes together with the other layers, for every board and for another distribution.
 * PITV_YOCTO_LAYERS is a folder with clones of the layers that the kas files name: bitbake, openembedded-core,
 * meta-openembedded, meta-raspberrypi (`kas checkout` makes it as `layers`). With meta-rauc and meta-webkit, the card
 * with two systems and the one with a browser are evaluated, too.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DISK_SIGNATURE } from '../../../image/sd/card.js';
import { words } from '../../../image/sd/shell.js';
import { makeDist } from '../../../image/yocto/dist.js';
import { temporaryFolder, writeTree } from '../../support/folders.js';
import { LAYER, YOCTO, filesBelow, nameOf } from './recipes.js';

const REPOS = ['bitbake', 'openembedded-core', 'meta-openembedded', 'meta-raspberrypi'];
const EVALUATE = fileURLToPath(new URL('evaluate.py', import.meta.url));
/** BitBake does not run as root. */
const ORDINARY_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const layers = process.env.PITV_YOCTO_LAYERS ?? '';

/** Returns why BitBake cannot run here, for a test's `skip`. @param {string[]} [more] repositories of other layers */
function lacksLayers(more = []) {
  const missing = [...REPOS, ...more].filter((repo) => !existsSync(join(layers, repo)));
  return missing.length > 0 && `PITV_YOCTO_LAYERS names no folder with ${missing.join(', ')}`;
}

/** Returns the path of a file in one of the repositories. @param {string} path */
const upstream = (path) => join(layers, path);

/**
 * @typedef {object} Build
 * @property {string} [machine] @property {string} [distro]
 * @property {string} [settings] lines for local.conf @property {string[]} [more] repositories of other layers
 */

/** Runs evaluate.py. @param {string} folder of a build @param {string[]} args @returns {Promise<any>} */
async function readJson(folder, args) {
  const tools = [upstream('openembedded-core/scripts'), upstream('bitbake/bin')];
  const env = {
    PATH: [...tools, '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'].join(':'),
    PYTHONPATH: [upstream('bitbake/lib'), upstream('openembedded-core/meta/lib')].join(':'),
    HOME: folder,
    BUILDDIR: folder,
    BBPATH: folder,
    LANG: 'en_US.UTF-8',
    LC_ALL: 'en_US.UTF-8',
  };
  const options = { cwd: folder, env, maxBuffer: 2 ** 28, ...ORDINARY_USER };
  const { stdout } = await promisify(execFile)('python3', [EVALUATE, ...args], options);
  return JSON.parse(stdout.slice(stdout.indexOf('{"'))); // after other lines
}

/**
 * Evaluates recipes.
 * @param {string} folder of a build @param {string[]} recipes paths, each followed by `+` and the path of an append
 * @param {string[]} [variables]
 * @returns {Promise<[recipe: string, found: any][]>} nameOf() each, and what evaluate.py prints of it
 */
async function evaluate(folder, recipes, variables = ['PV']) {
  const found = await readJson(folder, [variables.join(','), ...recipes]);
  return Object.entries(found).map(([file, each]) => [nameOf(file), each]);
}

const WITH_WIFI = ['raspberrypi0-2w', 'raspberrypi3', 'raspberrypi4'];
const BOARDS = ['raspberrypi', 'raspberrypi2', ...WITH_WIFI];

const APPENDS = join(LAYER, 'dynamic-layers/raspberrypi');
const appends = filesBelow(APPENDS);
/** Recipes of other layers, and the same with our appends. */
const unchanged = appends.map((path) => {
  const recipe = relative(APPENDS, path).replace(/_?%/, '_6.18').replace('.bbappend', '.bb');
  return upstream(`meta-raspberrypi/${recipe}`);
});
const changed = unchanged.map((recipe, i) => `${recipe}+${appends[i]}`);

/** The layer's recipes, and those that it changes, by nameOf(). */
const PATHS = new Map(filesBelow(LAYER).map((path) => [nameOf(path), path]));
for (const [i, path] of unchanged.entries()) PATHS.set(nameOf(path), changed[i]);
const pathsOf = (/** @type {string[]} */ ...names) => names.map((name) => PATHS.get(name) ?? name);

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
  const key = `PITV_UPDATE_KEY = "${join(work, 'key')}"`;
  const rauc = { more: ['meta-rauc'], settings: key };
  /** @type {Awaited<ReturnType<typeof makeDist>>} */
  let dist;
  let count = 0;

  before(async () => {
    chmodSync(work, 0o755);
    dist = await makeDist({ out: sources, level: 0 });
  });

  /** Makes a build folder. @param {Build} [options] @returns {string} the folder */
  function build({ machine = 'qemuarm', distro = 'pitv-os', settings = '', more = [] } = {}) {
    const folder = join(work, `build-${++count}`);
    const repos = ['openembedded-core/meta', 'meta-openembedded/meta-oe', 'meta-raspberrypi'];
    const used = [...[...repos, ...more].map(upstream), LAYER].join(' ');
    writeTree(folder, {
      'conf/bblayers.conf': `BBPATH = "\${TOPDIR}"\nBBFILES = ""\nBBLAYERS = "${used}"\n`,
      'conf/local.conf': `CONF_VERSION = "2"
MACHINE = "${machine}"
DISTRO = "${distro}"
BB_NUMBER_THREADS = "2"
CONNECTIVITY_CHECK_URIS = ""
INHERIT:remove = "uninative"
PITV_DIST = "${sources}"
${settings}
`,
      '.gitconfig': '[safe]\n\tdirectory = *\n',
    });
    const { uid, gid } = ORDINARY_USER;
    if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, folder]);
    return folder;
  }

  /**
   * Evaluates recipes, and checks that they are used, and what their variables and the names of their tasks are.
   * @param {string} title @param {Build} options
   * @param {Record<string, Record<string, RegExp>>} expected by recipe, and variable or TASKS
   */
  function expect(title, options, expected) {
    test(title, { skip: lacksLayers(options.more) }, async () => {
      const names = ['PV', ...Object.values(expected).flatMap(Object.keys)];
      const found = await evaluate(build(options), pathsOf(...Object.keys(expected)), names);
      for (const [recipe, { skipped, variables, tasks }] of found) {
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
    expect(
      `${machine}: images change the root last, and get what the machine recommends`,
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
        // The kernel can mount the root and a bundle, and U-Boot names the root.
        'rpi-cmdline.bb': { CMDLINE: / rootfstype=squashfs / },
        'linux-raspberrypi.bb': { SRC_URI: /file:\/\/pitv\.cfg .*file:\/\/pitv-update\.cfg/s },
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
    },
  );

  for (const [options, reason] of /** @type {[Build, RegExp][]} */ ([
    [{ settings: key }, /meta-rauc/],
    [{ settings: 'PITV_KIOSK = "1"' }, /meta-webkit/],
    [{ distro: 'nodistro', settings: 'INIT_MANAGER = "systemd"' }, /DISTRO = "pitv-os"/],
  ]))
    test(`the images say that they need ${reason.source}`, async () => {
      const folder = build({ machine: BOARDS[0], ...options });
      const images = await evaluate(folder, pathsOf('pitv-image.bb', 'pitv-image-dev.bb'));
      for (const [, { skipped }] of images) assert.match(skipped ?? '', reason);
    });

  test('for another distribution, pitv can be used, and other layers stay as they are', async () => {
    const settings = 'INIT_MANAGER = "systemd"';
    const other = build({ machine: BOARDS[0], distro: 'nodistro', settings });
    for (const [name, { skipped }] of await evaluate(other, pathsOf('pitv.bb', 'pitv-system.bb')))
      assert.equal(skipped, null, name);
    assert.deepEqual(await evaluate(other, changed), await evaluate(other, unchanged));
    const pitvOs = build({ machine: BOARDS[0] });
    const before = new Map(await evaluate(pitvOs, unchanged));
    for (const [recipe, { tasks }] of await evaluate(pitvOs, changed))
      assert.notDeepEqual(tasks, before.get(recipe).tasks, recipe);
  });

  test('the npm packages are added to the SPDX document of the package', async () => {
    const folder = build();
    const spdx = join(folder, 'spdx');
    mkdirSync(spdx);
    chmodSync(spdx, 0o777);
    const licenses = `pitv-${dist.version}/licenses.json`;
    execFileSync('tar', words`-xJf ${dist.archive} -C ${spdx} --strip-components=1 ${licenses}`);
    const bbclass = join(LAYER, 'classes-recipe/npm_packages_spdx.bbclass');
    const added = await readJson(folder, ['--spdx', pathsOf('pitv.bb')[0], bbclass, spdx]);
    const listed = JSON.parse(readFileSync(join(spdx, 'licenses.json'), 'utf8'));
    const expected = listed.map((/** @type {any} */ { name, version }) => `${name} ${version}`);
    const packages = [...new Set(expected)].sort();
    assert.deepEqual(added, { packages, contained: packages.length, licensed: packages.length });
  });
});

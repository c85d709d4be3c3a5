/**
 * BitBake evaluates the layer's recipes together with the other layers, for every board and for another distribution.
 * It needs their sources: PITV_YOCTO_LAYERS, see upstream.js.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, createReadStream, mkdirSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DISK_SIGNATURE } from '../../../image/sd/card.js';
import { words } from '../../../image/sd/shell.js';
import { makeDist } from '../../../image/yocto/dist.js';
import { temporaryFolder } from '../../support/folders.js';
import { LAYER, YOCTO, filesBelow, nameOf } from './recipes.js';
import { evaluate, lacksLayers, makeBuild, readJson, runIn, upstream } from './upstream.js';

/** @typedef {Parameters<typeof makeBuild>[1]} Options */

const NPM_SPDX = fileURLToPath(new URL('npm_spdx.py', import.meta.url));
const WITH_WIFI = ['raspberrypi0-2w', 'raspberrypi3', 'raspberrypi4'];
const BOARDS = ['raspberrypi', 'raspberrypi2', ...WITH_WIFI];
const MACHINES = [...BOARDS, 'qemuarm'];

/** Lists the layer's recipes that need no option. @param {string} layer */
const ownRecipes = (layer) =>
  filesBelow(join(layer, 'recipes-pitv')).filter((path) => path.endsWith('.bb'));

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

describe('with the other layers', { skip: lacksLayers() }, () => {
  const work = temporaryFolder();
  const key = (/** @type {string} */ folder) => `PITV_UPDATE_KEY = "${join(work, folder)}"`;
  const rauc = { more: ['meta-rauc'], settings: key('key') };
  const lacksRauc = lacksLayers(rauc.more);
  /** @type {Awaited<ReturnType<typeof makeDist>>} */
  let dist;
  /** @type {import('node:http').Server} */
  let server;
  let count = 0;

  before(async () => {
    chmodSync(work, 0o755);
    const out = join(work, 'dist');
    server = createServer(({ url = '' }, response) => {
      createReadStream(join(out, basename(url))).pipe(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    dist = await makeDist({ out, url: `http://127.0.0.1:${port}/pitv`, level: 0 });
  });
  after(() => server?.close());

  /** Makes a build with the archive. @param {Options & {folder?: string}} [options] @returns {string} its folder */
  function build({ folder = `build-${++count}`, ...options } = {}) {
    const settings = `PITV_DIST = "${join(work, 'dist')}"\n${options.settings ?? ''}`;
    return makeBuild(join(work, folder), { ...options, settings });
  }

  /**
   * Evaluates recipes, and checks that they are used, and what their variables and the names of their tasks are.
   * @param {Options} options
   * @param {Record<string, Record<string, RegExp>>} expected by recipe, and variable or TASKS
   */
  async function check(options, expected) {
    const names = ['PV', ...Object.values(expected).flatMap(Object.keys)];
    const found = await evaluate(build(options), pathsOf(...Object.keys(expected)), names);
    for (const [recipe, about] of Object.entries(found)) {
      /** @type {Record<string, unknown>} */
      const values = { ...about.variables, TASKS: Object.keys(about.tasks).join(' ') };
      if (recipe.startsWith('pitv')) assert.equal(about.skipped, null, recipe);
      if (/^pitv(?!-image)/.test(recipe)) assert.equal(values.PV, dist.version, recipe);
      for (const [name, value] of Object.entries(expected[recipe]))
        assert.match(String(values[name]), value, `${recipe}: ${name}`);
    }
    return found;
  }

  for (const machine of MACHINES) {
    test(`${machine}: images change the root last, and get what the machine recommends`, async () => {
      const image = {
        IMAGE_INSTALL: /\bpackagegroup-machine-base\b/,
        IMAGE_CLASSES: /^(?!.*sbom-cve-check)/s,
        MACHINE_EXTRA_RRECOMMENDS: WITH_WIFI.includes(machine) ? /\blinux-firmware-\S*bcm43/ : /^/,
      };
      const last = (/** @type {string} */ own) =>
        new RegExp(`^(?=.*systemd_handle_machine_id)((?!pitv_).)*${own}[\\s;]*$`, 's');
      const common = 'pitv_install_common';
      const order = last(`${common}[\\s;]+pitv_dev_login[\\s;]+pitv_inspector`);
      const expected = {
        'pitv-image.bb': { ...image, ROOTFS_POSTPROCESS_COMMAND: last(common) },
        'pitv-image-dev.bb': { ...image, ROOTFS_POSTPROCESS_COMMAND: order },
        'pitv-system.bb': {},
        'pitv.bb': {},
        'pitv-addons.bb': {},
      };
      await check({ machine }, expected);
    });
  }

  for (const machine of BOARDS)
    test(
      `${machine}: with PITV_UPDATE_KEY there are two systems`,
      { skip: lacksRauc },
      async () => {
        const found = await check(
          { machine, ...rauc },
          {
            'pitv-image.bb': {
              IMAGE_FSTYPES: /^squashfs-lz4 .*\bpitvcard\.xz\b/,
              IMAGE_INSTALL: /\bpitv-update\b/,
              BAD_RECOMMENDATIONS: /\brauc-mark-good\b/,
              IMAGE_BOOT_FILES: /(^|\s)u-boot\.bin;kernel\w*\.img(\s|$)/,
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
        const files = found['pitv-image.bb'].variables.IMAGE_BOOT_FILES;
        assert.equal(files.match(/boot\.scr(?=\s|$)/g)?.length, 1);
        assert.ok(!/\szImage/.test(` ${files}`), 'kernels are in the slots');
      },
    );

  /** Images with options: title, options, and what is expected. */
  const SETUPS = /** @type {[string, NonNullable<Options>, Parameters<typeof check>[1]][]} */ ([
    [
      'the kernel can mount the root and a bundle, and the root is named by U-Boot',
      { machine: BOARDS[0], ...rauc },
      {
        'rpi-cmdline.bb': { CMDLINE: / rootfstype=squashfs / },
        'linux-raspberrypi.bb': { SRC_URI: /file:\/\/pitv-update\.cfg/ },
      },
    ],
    [
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
    ],
    [
      'testimage.yml starts the image for developers with a login prompt',
      { machine: 'qemuarm', settings: localConf('testimage.yml') },
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
    ],
    [
      "the kernel's command line names the root of the card, and KMS sets the picture",
      { machine: 'raspberrypi3' },
      {
        'rpi-cmdline.bb': { CMDLINE: new RegExp(` root=PARTUUID=${DISK_SIGNATURE}-02 .* ro `) },
        'rpi-config_git.bb': { VC4DTBO: /^vc4-kms-v3d$/, HDMI_FORCE_HOTPLUG: /^null$/ },
        'linux-raspberrypi.bb': { SRC_URI: /file:\/\/pitv\.cfg/ },
      },
    ],
  ]);
  for (const [title, options, expected] of SETUPS)
    test(title, { skip: lacksLayers(options.more) }, async () => {
      await check(options, expected);
    });

  test('the place of the key is in no hash of a task', { skip: lacksRauc }, async () => {
    const own = pathsOf('pitv-image.bb', 'pitv-update.bb', 'pitv-bundle.bb');
    const hashes = (/** @type {string} */ name) => {
      const options = { ...rauc, machine: BOARDS[0], settings: key(name) };
      return evaluate(build({ ...options, folder: 'same-key' }), [...own, ...changed]);
    };
    assert.deepEqual(await hashes('key'), await hashes('other-key'));
  });

  test('without the layers of an option the images say what they need', async () => {
    for (const [settings, layer] of /** @type {[string, RegExp][]} */ ([
      [key('key'), /meta-rauc/],
      ['PITV_KIOSK = "1"', /meta-webkit/],
    ])) {
      const images = pathsOf('pitv-image.bb', 'pitv-image-dev.bb');
      const recipes = await evaluate(build({ machine: BOARDS[0], settings }), images);
      for (const { skipped } of Object.values(recipes)) assert.match(skipped ?? '', layer);
    }
  });

  test('for another distribution, images say what they need and other layers stay as they are', async () => {
    const settings = 'INIT_MANAGER = "systemd"';
    const other = build({ machine: 'raspberrypi', distro: 'nodistro', settings });
    for (const [name, { skipped }] of Object.entries(await evaluate(other, ownRecipes(LAYER)))) {
      if (name.startsWith('pitv-image')) assert.match(skipped ?? '', /DISTRO = "pitv-os"/);
      else assert.equal(skipped, null, name);
    }
    const tasks = async (/** @type {string} */ folder, /** @type {string[]} */ recipes) =>
      Object.values(await evaluate(folder, recipes)).map((recipe) => recipe.tasks);
    assert.deepEqual(await tasks(other, changed), await tasks(other, unchanged));
    const pitvOs = build({ machine: 'raspberrypi' });
    const before = await tasks(pitvOs, unchanged);
    const after = await tasks(pitvOs, changed);
    for (const [i, recipe] of unchanged.entries()) assert.notDeepEqual(after[i], before[i], recipe);
  });

  test('the tasks of a layer in another folder have the same hashes', async () => {
    const elsewhere = join(work, 'elsewhere');
    cpSync(LAYER, join(elsewhere, 'meta-pitv'), { recursive: true });
    cpSync(join(work, 'dist'), join(elsewhere, 'dist'), { recursive: true });
    // In one folder, because BitBake's own functions have that of the build in their text.
    const evaluateIn = async (/** @type {string} */ layer, /** @type {string} */ sources) => {
      const settings = `PITV_DIST = "${sources}"`;
      const recipes = await evaluate(build({ folder: 'same', layer, settings }), ownRecipes(layer));
      // It writes the names of all layers into a file, also for other images.
      for (const { tasks } of Object.values(recipes)) delete tasks.do_rootfs_wicenv;
      return recipes;
    };
    const here = await evaluateIn(LAYER, join(work, 'dist'));
    assert.ok('do_rootfs' in here['pitv-image.bb'].tasks);
    const there = await evaluateIn(join(elsewhere, 'meta-pitv'), join(elsewhere, 'dist'));
    assert.deepEqual(there, here);
  });

  test('the npm packages are added to the SPDX document of the package', async () => {
    const folder = join(build(), 'spdx');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    const licenses = `pitv-${dist.version}/licenses.json`;
    execFileSync('tar', words`-xJf ${dist.archive} -C ${folder} --strip-components=1 ${licenses}`);
    const bbclass = join(LAYER, 'classes-recipe/npm_packages_spdx.bbclass');
    const args = [NPM_SPDX, ...pathsOf('pitv.bb'), bbclass, folder];
    /** @type {any[]} */
    const elements = (await readJson(join(folder, '..'), args))['@graph'];
    const listed = JSON.parse(readFileSync(join(folder, 'licenses.json'), 'utf8'));
    const parts = elements.filter((each) => each.software_packageUrl?.startsWith('pkg:npm/'));
    const found = parts.map(({ name, software_packageVersion: version }) => `${name} ${version}`);
    const expected = listed.map((/** @type {any} */ { name, version }) => `${name} ${version}`);
    assert.deepEqual(found.sort(), [...new Set(expected)].sort());
    const { to } = elements.find(({ relationshipType: type }) => type === 'contains');
    assert.deepEqual(to.sort(), parts.map(({ spdxId }) => spdxId).sort());
    const licensed = elements.filter(({ relationshipType: type }) => type === 'hasDeclaredLicense');
    assert.equal(licensed.length, parts.length);
  });

  test('a released layer fetches its archive, and refuses a changed one', async () => {
    const layer = join(work, 'meta-pitv');
    execFileSync('tar', ['-xJf', dist.layer ?? '', '-C', work]);
    const recipe = filesBelow(layer).find((path) => nameOf(path) === 'pitv-addons.bb') ?? '';
    const settings = 'PITV_DIST = "/nowhere"';
    const unpack = () =>
      runIn(build({ layer, settings }), 'bitbake', words`-b ${recipe} -c unpack`);
    const { status, output } = await unpack();
    assert.equal(status, 0, output);
    await appendFile(dist.archive, 'x');
    const refused = await unpack();
    assert.notEqual(refused.status, 0);
    assert.match(refused.output, /[Cc]hecksum mismatch/);
  });
});

/** Returns the lines that a kas file adds to local.conf. @param {string} name of the file */
function localConf(name) {
  const text = readFileSync(join(YOCTO, 'kas', name), 'utf8');
  const [, blocks = ''] = /^local_conf_header:\n((?: .*\n?|\n)*)/m.exec(text) ?? [];
  return [...blocks.matchAll(/^ {4}(.*)$/gm)].map(([, line]) => line).join('\n');
}

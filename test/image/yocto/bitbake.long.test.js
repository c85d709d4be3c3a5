/**
 * BitBake evaluates the layer's recipes together with the other layers, for every board and for another distribution.
 * It needs their sources: PITV_YOCTO_LAYERS, see upstream.js.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, createReadStream, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { words } from '../../../image/sd/shell.js';
import { makeDist } from '../../../image/yocto/dist.js';
import { temporaryFolder } from '../../support/folders.js';
import { LAYER, YOCTO } from './recipes.js';
import { Build, kasSettings, lacksLayer, noUpstream, upstream } from './upstream.js';

const KAS = join(YOCTO, 'kas');
const NPM_SPDX = fileURLToPath(new URL('npm_spdx.py', import.meta.url));
const MACHINES = readdirSync(KAS).flatMap(
  (file) => /^machine: (.+)$/m.exec(readFileSync(join(KAS, file), 'utf8'))?.[1] ?? [],
);
const BOARDS = MACHINES.filter((machine) => machine.startsWith('raspberrypi'));
const WITH_WIFI = ['raspberrypi0-2w', 'raspberrypi3', 'raspberrypi4'];

/** @param {string} layer */
const ownRecipes = (layer) =>
  [
    'images/pitv-image.bb',
    'images/pitv-image-dev.bb',
    'pitv-system/pitv-system_0.2.0.bb',
    'pitv/pitv_0.2.0.bb',
    'pitv/pitv-addons_0.2.0.bb',
  ].map((recipe) => join(layer, 'recipes-pitv', recipe));
const [IMAGE, DEVELOPER_IMAGE, , PITV, ADDONS] = ownRecipes(LAYER);
const [UPDATE, BUNDLE, KIOSK] = [
  'rauc/recipes-pitv/pitv-update/pitv-update_0.2.0.bb',
  'rauc/recipes-pitv/pitv-bundle/pitv-bundle_0.2.0.bb',
  'webkit/recipes-pitv/pitv-kiosk/pitv-kiosk_0.2.0.bb',
].map((recipe) => join(LAYER, 'dynamic-layers', recipe));

/** Recipes of other layers, and our appends. */
const CHANGED = Object.entries({
  'bootfiles/rpi-cmdline.bb': 'recipes-bsp/bootfiles/rpi-cmdline.bbappend',
  'bootfiles/rpi-config_git.bb': 'recipes-bsp/bootfiles/rpi-config_git.bbappend',
  'linux/linux-raspberrypi_6.18.bb': 'recipes-kernel/linux/linux-raspberrypi_%.bbappend',
}).map(([recipe, append]) => ({
  recipe: upstream('meta-raspberrypi', append.split('/')[0], recipe),
  append: join(LAYER, 'dynamic-layers/raspberrypi', append),
}));
const unchanged = CHANGED.map(({ recipe }) => recipe);
const changed = CHANGED.map(({ recipe, append }) => `${recipe}+${append}`);

describe('with the other layers', { skip: noUpstream }, () => {
  const work = temporaryFolder();
  const key = (/** @type {string} */ folder) => `PITV_UPDATE_KEY = "${join(work, folder)}"`;
  const rauc = { more: ['meta-rauc'], settings: key('key') };
  const lacksRauc = lacksLayer('meta-rauc');
  const lacksWebkit = lacksLayer('meta-webkit');
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

  /** @param {ConstructorParameters<typeof Build>[1] & {folder?: string}} [options] */
  const makeBuild = ({ folder = `build-${++count}`, ...options } = {}) =>
    new Build(join(work, folder), {
      ...options,
      settings: `PITV_DIST = "${join(work, 'dist')}"\n${options.settings ?? ''}`,
    });

  /**
   * Evaluates recipes, and checks that they are used and what their variables are.
   * @param {ConstructorParameters<typeof Build>[1]} options @param {string[]} recipes paths
   * @param {Record<string, Record<string, RegExp>>} expected by file name and variable
   */
  async function evaluate(options, recipes, expected) {
    const build = makeBuild(options);
    const names = new Set(Object.values(expected).flatMap(Object.keys));
    const found = await build.evaluate([...names], recipes);
    for (const [name, { skipped }] of Object.entries(found))
      if (name.startsWith('pitv')) assert.equal(skipped, null, name);
    for (const [recipe, variables] of Object.entries(expected)) {
      for (const [name, value] of Object.entries(variables))
        assert.match(String(found[recipe].variables[name]), value, `${recipe}: ${name}`);
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
      const version = { PV: new RegExp(`^${dist.version.replace('+', '\\+')}$`) };
      await evaluate({ machine }, ownRecipes(LAYER), {
        'pitv-image.bb': { ...image, ROOTFS_POSTPROCESS_COMMAND: last(common) },
        'pitv-image-dev.bb': { ...image, ROOTFS_POSTPROCESS_COMMAND: order },
        'pitv-system_0.2.0.bb': version,
        'pitv_0.2.0.bb': version,
        'pitv-addons_0.2.0.bb': version,
      });
    });
  }

  for (const machine of BOARDS) {
    test(
      `${machine}: the card with PITV_UPDATE_KEY has two systems`,
      { skip: lacksRauc },
      async () => {
        const found = await evaluate({ machine, ...rauc }, [IMAGE, UPDATE, BUNDLE], {
          'pitv-image.bb': {
            IMAGE_FSTYPES: /^squashfs-lz4 .*\bpitvcard\.xz\b/,
            IMAGE_INSTALL: /\bpitv-update\b/,
            BAD_RECOMMENDATIONS: /\brauc-mark-good\b/,
            IMAGE_BOOT_FILES: /(^|\s)u-boot\.bin;kernel\w*\.img(\s|$)/,
          },
          'pitv-update_0.2.0.bb': {
            KERNEL_IMAGETYPE: /^zImage$/,
            UBOOT_ARCH: /^arm$/,
            SRC_URI: /file:\/\/cert\.pem/,
          },
          'pitv-bundle_0.2.0.bb': {
            RAUC_BUNDLE_COMPATIBLE: new RegExp(`^pitv-yocto-${machine}$`),
          },
        });
        const { variables, tasks } = found['pitv-image.bb'];
        assert.equal(variables.IMAGE_BOOT_FILES.match(/boot\.scr(?=\s|$)/g)?.length, 1);
        assert.ok(!/\szImage/.test(` ${variables.IMAGE_BOOT_FILES}`), 'kernels are in the slots');
        assert.ok('do_image_pitvcard' in tasks);
      },
    );
  }

  test(
    'the kernel can mount the root and a bundle, and the root is named by U-Boot',
    { skip: lacksRauc },
    async () => {
      await evaluate({ machine: BOARDS[0], ...rauc }, changed, {
        'rpi-cmdline.bb': { CMDLINE: / rootfstype=squashfs / },
        'linux-raspberrypi_6.18.bb': { SRC_URI: /file:\/\/pitv-update\.cfg/ },
      });
    },
  );

  test('the place of the key is in no hash of a task', { skip: lacksRauc }, async () => {
    const hashes = (/** @type {string} */ name) => {
      const options = { ...rauc, folder: 'same-key', machine: BOARDS[0], settings: key(name) };
      return makeBuild(options).evaluate(['PV'], [IMAGE, UPDATE, BUNDLE, ...changed]);
    };
    assert.deepEqual(await hashes('key'), await hashes('other-key'));
  });

  test('without the layers of an option the images say what they need', async () => {
    for (const [settings, layer] of /** @type {[string, RegExp][]} */ ([
      [key('key'), /meta-rauc/],
      ['PITV_KIOSK = "1"', /meta-webkit/],
    ])) {
      const build = makeBuild({ machine: BOARDS[0], settings });
      const recipes = await build.evaluate(['PV'], [IMAGE, DEVELOPER_IMAGE]);
      for (const { skipped } of Object.values(recipes)) assert.match(skipped ?? '', layer);
    }
  });

  test(
    'with meta-webkit and PITV_KIOSK, the image has a browser',
    { skip: lacksWebkit },
    async () => {
      const wayland = upstream('openembedded-core/meta/recipes-graphics/wayland');
      const weston = readdirSync(wayland).find((file) => /^weston_.*\.bb$/.test(file)) ?? '';
      await evaluate(
        { machine: 'raspberrypi4', settings: 'PITV_KIOSK = "1"', more: ['meta-webkit'] },
        [IMAGE, KIOSK, join(wayland, weston), ...changed],
        {
          'pitv-image.bb': {
            IMAGE_INSTALL: /\bpitv-kiosk\b/,
            BAD_RECOMMENDATIONS: /\bweston-init\b/,
            DISTRO_FEATURES: /^(?=.*\bopengl\b)(?=.*\bwayland\b)(?=.*\balsa\b)/,
          },
          'rpi-cmdline.bb': { CMDLINE: /\bcma=192M\b/ },
          'pitv-kiosk_0.2.0.bb': { 'RDEPENDS:pitv-kiosk': /\bcog\b.*\bweston\b/s },
        },
      );
    },
  );

  test('testimage.yml starts the image for developers with a login prompt', async () => {
    const options = { machine: 'qemuarm', settings: kasSettings('testimage.yml') };
    const found = await evaluate(options, [DEVELOPER_IMAGE], {
      'pitv-image-dev.bb': {
        TEST_SUITES: /^pitv$/,
        TEST_RUNQEMUPARAMS: /\bslirp\b/,
        SERIAL_CONSOLES: /ttyAMA0 .*hvc0/, // QEMU's second console has the login prompt for which the tests wait
        IMAGE_FEATURES: /\bempty-root-password\b/,
        IMAGE_FSTYPES: /\bext4\b/,
        QB_DEFAULT_FSTYPE: /^ext4$/,
      },
    });
    assert.ok('do_testimage' in found['pitv-image-dev.bb'].tasks);
  });

  test("the kernel's command line names the root of the card, and KMS sets the picture", async () => {
    const wks = readFileSync(join(LAYER, 'files/wic/pitv.wks'), 'utf8');
    const [, signature] = /--diskid 0x([0-9a-f]+)/.exec(wks) ?? [];
    await evaluate({ machine: 'raspberrypi3' }, changed, {
      'rpi-cmdline.bb': { CMDLINE: new RegExp(` root=PARTUUID=${signature}-02 .* ro `) },
      'rpi-config_git.bb': { VC4DTBO: /^vc4-kms-v3d$/, HDMI_FORCE_HOTPLUG: /^null$/ },
      'linux-raspberrypi_6.18.bb': { SRC_URI: /file:\/\/pitv\.cfg/ },
    });
  });

  test('for another distribution, images say what they need and other layers stay as they are', async () => {
    const settings = 'INIT_MANAGER = "systemd"';
    const other = makeBuild({ machine: 'raspberrypi', distro: 'nodistro', settings });
    const own = await other.evaluate(['PV'], ownRecipes(LAYER));
    for (const [name, { skipped }] of Object.entries(own)) {
      if (name.startsWith('pitv-image')) assert.match(skipped ?? '', /DISTRO = "pitv-os"/);
      else assert.equal(skipped, null, name);
    }
    const tasks = async (/** @type {Build} */ build, /** @type {string[]} */ recipes) =>
      Object.values(await build.evaluate(['PV'], recipes)).map((recipe) => recipe.tasks);
    assert.deepEqual(await tasks(other, changed), await tasks(other, unchanged));
    const pitvOs = makeBuild({ machine: 'raspberrypi' });
    const before = await tasks(pitvOs, unchanged);
    const after = await tasks(pitvOs, changed);
    for (const [i, { recipe }] of CHANGED.entries())
      assert.notDeepEqual(after[i], before[i], recipe);
  });

  test('the tasks of a layer in another folder have the same hashes', async () => {
    const elsewhere = join(work, 'elsewhere');
    cpSync(LAYER, join(elsewhere, 'meta-pitv'), { recursive: true });
    cpSync(join(work, 'dist'), join(elsewhere, 'dist'), { recursive: true });
    // In one folder, because BitBake's own functions have that of the build in their text.
    const evaluateIn = async (/** @type {string} */ layer, /** @type {string} */ sources) => {
      const build = new Build(join(work, 'same'), { layer, settings: `PITV_DIST = "${sources}"` });
      const recipes = await build.evaluate(['PV'], ownRecipes(layer));
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
    const build = makeBuild();
    const folder = join(build.folder, 'spdx');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    cpSync(dist.licenses, join(folder, 'licenses.json'));
    const bbclass = join(LAYER, 'classes-recipe/npm_packages_spdx.bbclass');
    /** @type {any[]} */
    const elements = (await build.json('python3', [NPM_SPDX, PITV, bbclass, folder]))['@graph'];
    const listed = JSON.parse(readFileSync(dist.licenses, 'utf8'));
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
    const recipe = join(layer, relative(LAYER, ADDONS));
    const settings = 'PITV_DIST = "/nowhere"';
    const unpack = () =>
      makeBuild({ layer, settings }).run('bitbake', words`-b ${recipe} -c unpack`);
    const { status, output } = await unpack();
    assert.equal(status, 0, output);
    await appendFile(dist.archive, 'x');
    const refused = await unpack();
    assert.notEqual(refused.status, 0);
    assert.match(refused.output, /[Cc]hecksum mismatch/);
  });
});

/**
 * BitBake evaluates the layer's recipes together with the other layers, for every board and for another distribution.
 * It needs their sources: PITV_YOCTO_LAYERS, see upstream.js.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  createReadStream,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { words } from '../../../image/sd/shell.js';
import { makeDist } from '../../../image/yocto/dist.js';
import { startServe } from '../../support/serve.js';
import { LAYER, YOCTO } from './recipes.js';
import {
  Build,
  commits,
  kasSettings,
  lacksLayer,
  noUpstream,
  pinned,
  upstream,
} from './upstream.js';

const KAS = join(YOCTO, 'kas');
const [CHECK_LAYER, TESTIMAGE_CASE, NPM_SPDX] = ['check_layer', 'testimage_case', 'npm_spdx'].map(
  (name) => fileURLToPath(new URL(`${name}.py`, import.meta.url)),
);
const MACHINES = readdirSync(KAS).flatMap(
  (file) => /^machine: (.+)$/m.exec(readFileSync(join(KAS, file), 'utf8'))?.[1] ?? [],
);
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

const RASPBERRYPI = join(LAYER, 'dynamic-layers/raspberrypi');
/** Recipes of other layers and our appends. */
const CHANGED = [
  ['meta-raspberrypi/recipes-bsp/bootfiles/rpi-cmdline.bb', 'recipes-bsp/bootfiles'],
  ['meta-raspberrypi/recipes-bsp/bootfiles/rpi-config_git.bb', 'recipes-bsp/bootfiles'],
  ['meta-raspberrypi/recipes-kernel/linux/linux-raspberrypi_6.18.bb', 'recipes-kernel/linux'],
].map(([recipe, folder]) => {
  const [name] = basename(recipe, '.bb').split('_');
  const place = join(RASPBERRYPI, folder);
  const append = readdirSync(place).find((file) => new RegExp(`^${name}[_.]`).test(file)) ?? '';
  return { recipe: upstream(recipe), append: join(place, append) };
});
const unchanged = CHANGED.map(({ recipe }) => recipe);
const changed = CHANGED.map(({ recipe, append }) => `${recipe}+${append}`);

/** @param {Record<string, import('./upstream.js').Evaluated>} recipes */
function assertUsed(recipes) {
  for (const [name, { skipped }] of Object.entries(recipes)) assert.equal(skipped, null, name);
}

describe('with the other layers', { skip: noUpstream }, () => {
  /** @type {string} */
  let work;
  /** @type {Awaited<ReturnType<typeof makeDist>>} */
  let dist;
  /** @type {import('node:http').Server} */
  let server;
  let count = 0;

  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'pitv-bitbake-'));
    chmodSync(work, 0o755);
    const out = join(work, 'dist');
    server = createServer(({ url = '' }, response) => {
      createReadStream(join(out, basename(url))).pipe(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    dist = await makeDist({ out, url: `http://127.0.0.1:${port}/pitv`, level: 0 });
  });
  after(async () => {
    server?.close();
    await rm(work, { recursive: true, force: true });
  });

  /** @param {ConstructorParameters<typeof Build>[1]} [options] */
  const makeBuild = (options = {}) =>
    new Build(join(work, `build-${++count}`), {
      ...options,
      settings: `PITV_DIST = "${join(work, 'dist')}"\n${options.settings ?? ''}`,
    });

  /**
   * Evaluates recipes, and checks variables.
   * @param {ConstructorParameters<typeof Build>[1]} options @param {string[]} recipes paths
   * @param {Record<string, Record<string, RegExp>>} expected value by file name and variable
   * @param {...string} more variables
   */
  async function expectVariables(options, recipes, expected, ...more) {
    const build = makeBuild(options);
    const names = new Set(Object.values(expected).flatMap(Object.keys));
    const found = await build.evaluate([...names, ...more], recipes);
    for (const [recipe, variables] of Object.entries(expected)) {
      for (const [name, value] of Object.entries(variables))
        assert.match(String(found[recipe].variables[name]), value, `${recipe}: ${name}`);
    }
    return { build, found };
  }

  test('the layers have the commits that the kas files pin, and each board has such a file', () => {
    assert.deepEqual(commits(), pinned());
    assert.ok(WITH_WIFI.every((machine) => MACHINES.includes(machine)));
  });

  test('yocto-check-layer accepts the texts of the layer', async () => {
    const bare = join(work, 'bare/meta-pitv');
    cpSync(LAYER, bare, { recursive: true });
    const scripts = upstream('openembedded-core/scripts');
    const check = () => makeBuild().run('python3', [CHECK_LAYER, bare, scripts]);
    const { status, output } = await check();
    assert.equal(status, 0, output);
    rmSync(join(bare, 'SECURITY.md'));
    assert.match((await check()).output, /FAIL: test_security/);
  });

  for (const machine of MACHINES) {
    test(`${machine}: images change the root last, and get what the machine recommends`, async () => {
      const image = {
        IMAGE_INSTALL: /\bpackagegroup-machine-base\b/,
        IMAGE_CLASSES: /^(?!.*sbom-cve-check)/s,
        MACHINE_EXTRA_RRECOMMENDS: WITH_WIFI.includes(machine) ? /\blinux-firmware-\S*bcm43/ : /^/,
      };
      const expected = { 'pitv-image.bb': image, 'pitv-image-dev.bb': image };
      const more = ['PV', 'ROOTFS_POSTPROCESS_COMMAND'];
      const { found } = await expectVariables({ machine }, ownRecipes(LAYER), expected, ...more);
      assertUsed(found);
      for (const [name, { variables }] of Object.entries(found))
        if (!(name in expected)) assert.equal(variables.PV, dist.version);
      for (const [name, functions] of Object.entries({
        'pitv-image.bb': ['pitv_install_common'],
        'pitv-image-dev.bb': ['pitv_install_common', 'pitv_dev_login', 'pitv_inspector'],
      })) {
        const order =
          found[name].variables.ROOTFS_POSTPROCESS_COMMAND.split(/[\s;]+/).filter(Boolean);
        assert.ok(order.includes('systemd_handle_machine_id'));
        const own = order.findIndex((/** @type {string} */ each) => each.startsWith('pitv_'));
        assert.deepEqual(order.slice(own), functions);
      }
    });

    test(`${machine}: cve.yml adds the check for known vulnerabilities to the image`, async () => {
      const { found } = await expectVariables(
        { machine, settings: kasSettings('cve.yml') },
        [IMAGE],
        { 'pitv-image.bb': { IMAGE_CLASSES: /\bsbom-cve-check\b/ } },
      );
      assertUsed(found);
      const { tasks } = found['pitv-image.bb'];
      assert.ok('do_sbom_cve_check' in tasks, Object.keys(tasks).join(' '));
    });
  }

  describe('with meta-rauc and PITV_UPDATE_KEY', { skip: lacksLayer('meta-rauc') }, () => {
    const RAUC = join(LAYER, 'dynamic-layers/rauc/recipes-pitv');
    const UPDATE = join(RAUC, 'pitv-update/pitv-update_0.2.0.bb');
    const BUNDLE = join(RAUC, 'pitv-bundle/pitv-bundle_0.2.0.bb');
    const key = (/** @type {string} */ folder) => `PITV_UPDATE_KEY = "${join(work, folder)}"`;
    const rauc = () => ({ more: ['meta-rauc'], settings: key('key') });
    const boards = MACHINES.filter((machine) => machine.startsWith('raspberrypi'));

    for (const machine of boards) {
      test(`${machine}: the card has two systems, and its updates are for this machine`, async () => {
        const { found } = await expectVariables({ machine, ...rauc() }, [IMAGE, UPDATE, BUNDLE], {
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
        assertUsed(found);
        const { variables, tasks } = found['pitv-image.bb'];
        const files = variables.IMAGE_BOOT_FILES.split(/\s+/);
        assert.equal(
          files.filter((/** @type {string} */ file) => /boot\.scr$/.test(file)).length,
          1,
        );
        assert.ok(!/\szImage/.test(` ${variables.IMAGE_BOOT_FILES}`), 'kernels are in the slots');
        assert.ok('do_image_pitvcard' in tasks);
      });
    }

    test('the kernel can mount the root and a bundle, and the root is named by U-Boot', async () => {
      await expectVariables({ machine: boards[0], ...rauc() }, changed, {
        'rpi-cmdline.bb': { CMDLINE: / rootfstype=squashfs / },
        'linux-raspberrypi_6.18.bb': { SRC_URI: /file:\/\/pitv-update\.cfg/ },
      });
    });

    test('the place of the key is in no hash of a task', async () => {
      const folder = join(work, 'same-key');
      const evaluate = (/** @type {string} */ name) =>
        new Build(folder, {
          machine: boards[0],
          more: ['meta-rauc'],
          settings: `PITV_DIST = "${join(work, 'dist')}"\n${key(name)}`,
        }).evaluate(['PV'], [IMAGE, UPDATE, BUNDLE, ...changed]);
      assert.deepEqual(await evaluate('key'), await evaluate('other-key'));
    });

    test('without meta-rauc the images say what they need', async () => {
      const build = makeBuild({ machine: boards[0], settings: key('key') });
      const recipes = await build.evaluate(['PV'], [IMAGE, DEVELOPER_IMAGE]);
      for (const { skipped } of Object.values(recipes)) assert.match(skipped ?? '', /meta-rauc/);
    });
  });

  const noWebkit = lacksLayer('meta-webkit');
  test('with meta-webkit and PITV_KIOSK, the image has a browser', { skip: noWebkit }, async () => {
    const kiosk = 'dynamic-layers/webkit/recipes-pitv/pitv-kiosk/pitv-kiosk_0.2.0.bb';
    const wayland = upstream('openembedded-core/meta/recipes-graphics/wayland');
    const weston = readdirSync(wayland).find((file) => /^weston_.*\.bb$/.test(file)) ?? '';
    const options = { machine: 'raspberrypi4', settings: 'PITV_KIOSK = "1"' };
    const recipes = [IMAGE, join(LAYER, kiosk), join(wayland, weston), ...changed];
    const { found } = await expectVariables(
      { ...options, more: ['meta-webkit'] },
      recipes,
      {
        'pitv-image.bb': {
          IMAGE_INSTALL: /\bpitv-kiosk\b/,
          BAD_RECOMMENDATIONS: /\bweston-init\b/,
        },
        'rpi-cmdline.bb': { CMDLINE: /\bcma=192M\b/ },
        'pitv-kiosk_0.2.0.bb': { 'RDEPENDS:pitv-kiosk': /\bcog\b.*\bweston\b/s },
      },
      'DISTRO_FEATURES',
    );
    assertUsed(found);
    const features = found['pitv-image.bb'].variables.DISTRO_FEATURES.split(' ');
    for (const feature of ['opengl', 'wayland', 'alsa'])
      assert.ok(features.includes(feature), feature);
    const without = await makeBuild(options).evaluate(['PV'], [IMAGE]);
    assert.match(without['pitv-image.bb'].skipped ?? '', /meta-webkit/);
  });

  test('testimage.yml starts the image for developers with a login prompt, and its suite asks the TV', async (t) => {
    const options = { machine: 'qemuarm', settings: kasSettings('testimage.yml') };
    const { build, found } = await expectVariables(
      options,
      [DEVELOPER_IMAGE],
      {
        'pitv-image-dev.bb': {
          TEST_SUITES: /^pitv$/,
          TEST_RUNQEMUPARAMS: /\bslirp\b/,
          SERIAL_CONSOLES: /ttyAMA0 .*hvc0/, // QEMU's second console has the login prompt for which the tests wait
          IMAGE_FEATURES: /\bempty-root-password\b/,
        },
      },
      'IMAGE_FSTYPES',
      'QB_DEFAULT_FSTYPE',
      'QB_SLIRP_OPT',
    );
    assertUsed(found);
    const { variables, tasks } = found['pitv-image-dev.bb'];
    assert.ok('do_testimage' in tasks);
    assert.ok(variables.IMAGE_FSTYPES.split(' ').includes(variables.QB_DEFAULT_FSTYPE));

    const { port } = await startServe(t);
    const forwarded = variables.QB_SLIRP_OPT.replace(':18080-', `:${port}-`);
    const cases = join(LAYER, 'lib/oeqa/runtime/cases');
    const answer = await build.json('python3', [TESTIMAGE_CASE, cases, forwarded]);
    assert.deepEqual(answer.cases, ['pitv.PitvTest.test_healthz']);
    assert.equal(answer.port, port);
    assert.equal(answer.health.ok, true);
  });

  test("the kernel's command line names the root of the card, and KMS sets the picture", async () => {
    const wks = readFileSync(join(LAYER, 'files/wic/pitv.wks'), 'utf8');
    const [, signature] = /--diskid 0x([0-9a-f]+)/.exec(wks) ?? [];
    await expectVariables({ machine: 'raspberrypi3' }, changed, {
      'rpi-cmdline.bb': { CMDLINE: new RegExp(` root=PARTUUID=${signature}-02 .* ro `) },
      'rpi-config_git.bb': { VC4DTBO: /^vc4-kms-v3d$/, HDMI_FORCE_HOTPLUG: /^null$/ },
      'linux-raspberrypi_6.18.bb': { SRC_URI: /file:\/\/pitv\.cfg/ },
    });
  });

  test('for another distribution, images say what they need and other layers stay as they are', async () => {
    const options = { machine: 'raspberrypi', distro: 'nodistro' };
    const other = makeBuild({ ...options, settings: 'INIT_MANAGER = "systemd"' });
    const own = await other.evaluate(['PV'], ownRecipes(LAYER));
    for (const [name, { skipped }] of Object.entries(own)) {
      if (name.startsWith('pitv-image')) assert.match(skipped ?? '', /DISTRO = "pitv-os"/);
      else assert.equal(skipped, null, name);
    }
    const tasks = (/** @type {Awaited<ReturnType<Build['evaluate']>>} */ recipes) =>
      Object.fromEntries(Object.entries(recipes).map(([name, { tasks }]) => [name, tasks]));
    const without = tasks(await other.evaluate(['PV'], unchanged));
    const names = CHANGED.map(({ recipe }) => basename(recipe));
    assert.deepEqual(Object.keys(without), names);
    assert.deepEqual(tasks(await other.evaluate(['PV'], changed)), without);
    const pitvOs = makeBuild({ machine: 'raspberrypi' });
    const before = tasks(await pitvOs.evaluate(['PV'], unchanged));
    const after = tasks(await pitvOs.evaluate(['PV'], changed));
    for (const name of names) assert.notDeepEqual(after[name], before[name], name);
  });

  test('the tasks of a layer in another folder have the same hashes', async () => {
    const elsewhere = join(work, 'elsewhere/meta-pitv');
    cpSync(LAYER, elsewhere, { recursive: true });
    cpSync(join(work, 'dist'), join(work, 'elsewhere/dist'), { recursive: true });
    // In one folder, because BitBake's own functions have that of the build in their text.
    const folder = join(work, 'same-build');
    const evaluate = async (/** @type {string} */ layer, /** @type {string} */ sources) => {
      const settings = `PITV_DIST = "${sources}"`;
      const build = new Build(folder, { layer, settings });
      const recipes = await build.evaluate(['PV'], ownRecipes(layer));
      // It writes the names of all layers into a file, also for other images.
      for (const { tasks } of Object.values(recipes)) delete tasks.do_rootfs_wicenv;
      return recipes;
    };
    const here = await evaluate(LAYER, join(work, 'dist'));
    assert.ok('do_rootfs' in here['pitv-image.bb'].tasks);
    assert.deepEqual(await evaluate(elsewhere, join(work, 'elsewhere/dist')), here);
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
    assert.ok(found.some((each) => each.startsWith('@')));
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
    const build = () => makeBuild({ layer, settings: 'PITV_DIST = "/nowhere"' });
    const unpack = () => build().run('bitbake', words`-b ${recipe} -c unpack`);
    const { status, output } = await unpack();
    assert.equal(status, 0, output);
    await appendFile(dist.archive, 'x');
    const refused = await unpack();
    assert.notEqual(refused.status, 0);
    assert.match(refused.output, /[Cc]hecksum mismatch/);
  });
});

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
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeDist } from '../../../image/yocto/dist.js';
import { startServe } from '../../support/serve.js';
import { LAYER } from './files.js';
import {
  Build,
  commits,
  kasSettings,
  lacksLayer,
  noUpstream,
  pinned,
  upstream,
} from './upstream.js';

const KAS = join(LAYER, '../kas');
const CHECK_LAYER = fileURLToPath(new URL('check_layer.py', import.meta.url));
const TESTIMAGE_CASE = fileURLToPath(new URL('testimage_case.py', import.meta.url));
const NPM_SPDX = fileURLToPath(new URL('npm_spdx.py', import.meta.url));
const MACHINES = readdirSync(KAS).flatMap(
  (file) => /^machine: (.+)$/m.exec(readFileSync(join(KAS, file), 'utf8'))?.[1] ?? [],
);
const WITH_WIFI = ['raspberrypi0-2w', 'raspberrypi3', 'raspberrypi4'];

const IMAGE = join(LAYER, 'recipes-pitv/images/pitv-image.bb');
const DEVELOPER_IMAGE = join(LAYER, 'recipes-pitv/images/pitv-image-dev.bb');

/** @param {string} layer */
const ownRecipes = (layer) =>
  [
    'images/pitv-image.bb',
    'images/pitv-image-dev.bb',
    'pitv-system/pitv-system_0.2.0.bb',
    'pitv/pitv_0.2.0.bb',
    'pitv/pitv-addons_0.2.0.bb',
  ].map((recipe) => join(layer, 'recipes-pitv', recipe));

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

  test('the layers have the commits that the kas files pin', () => {
    assert.deepEqual(commits(), pinned());
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

  test('there is a kas file for each of the boards', () => {
    assert.ok(WITH_WIFI.every((machine) => MACHINES.includes(machine)));
  });

  for (const machine of MACHINES) {
    test(`${machine}: images change the root last, and get what the machine recommends`, async () => {
      const names = ['PV', 'ROOTFS_POSTPROCESS_COMMAND', 'IMAGE_INSTALL', 'IMAGE_CLASSES'];
      const recipes = await makeBuild({ machine }).evaluate(
        [...names, 'MACHINE_EXTRA_RRECOMMENDS'],
        ownRecipes(LAYER),
      );
      for (const [name, { skipped, variables }] of Object.entries(recipes)) {
        assert.equal(skipped, null, name);
        if (!name.startsWith('pitv-image')) {
          assert.equal(variables.PV, dist.version);
          continue;
        }
        const order = (variables.ROOTFS_POSTPROCESS_COMMAND ?? '').split(/[\s;]+/).filter(Boolean);
        const own = order.findIndex((command) => command.startsWith('pitv_'));
        assert.ok(order.includes('systemd_handle_machine_id'));
        assert.deepEqual(
          order.slice(own),
          name === 'pitv-image.bb'
            ? ['pitv_install_common']
            : ['pitv_install_common', 'pitv_dev_login', 'pitv_inspector'],
        );
        assert.match(variables.IMAGE_INSTALL ?? '', /\bpackagegroup-machine-base\b/);
        assert.doesNotMatch(variables.IMAGE_CLASSES ?? '', /sbom-cve-check/);
        if (WITH_WIFI.includes(machine))
          assert.match(variables.MACHINE_EXTRA_RRECOMMENDS ?? '', /\blinux-firmware-\S*bcm43/);
      }
    });
  }

  for (const machine of MACHINES) {
    test(`${machine}: cve.yml adds the check for known vulnerabilities to the image`, async () => {
      const settings = kasSettings('cve.yml');
      const recipes = await makeBuild({ machine, settings }).evaluate(['IMAGE_CLASSES'], [IMAGE]);
      const { skipped, variables, tasks } = recipes['pitv-image.bb'];
      assert.equal(skipped, null);
      assert.match(variables.IMAGE_CLASSES ?? '', /\bsbom-cve-check\b/);
      assert.ok('do_sbom_cve_check' in tasks, Object.keys(tasks).join(' '));
    });
  }

  describe('with meta-rauc and PITV_UPDATE_KEY', { skip: lacksLayer('meta-rauc') }, () => {
    const RAUC = join(LAYER, 'dynamic-layers/rauc/recipes-pitv');
    const UPDATE = join(RAUC, 'pitv-update/pitv-update_0.2.0.bb');
    const BUNDLE = join(RAUC, 'pitv-bundle/pitv-bundle_0.2.0.bb');
    const key = (/** @type {string} */ folder) => `PITV_UPDATE_KEY = "${join(work, folder)}"`;
    const boards = MACHINES.filter((machine) => machine.startsWith('raspberrypi'));

    for (const machine of boards) {
      test(`${machine}: the card has two systems, and its updates are for this machine`, async () => {
        const build = makeBuild({ machine, more: ['meta-rauc'], settings: key('key') });
        const recipes = await build.evaluate(
          [
            'IMAGE_FSTYPES',
            'IMAGE_INSTALL',
            'BAD_RECOMMENDATIONS',
            'IMAGE_BOOT_FILES',
            'KERNEL_IMAGETYPE',
            'UBOOT_ARCH',
            'SRC_URI',
            'RAUC_BUNDLE_COMPATIBLE',
          ],
          [IMAGE, UPDATE, BUNDLE],
        );
        for (const [name, { skipped }] of Object.entries(recipes))
          assert.equal(skipped, null, name);
        const image = recipes['pitv-image.bb'];
        assert.match(image.variables.IMAGE_FSTYPES ?? '', /^squashfs-lz4 .*\bpitvcard\.xz\b/);
        assert.match(image.variables.IMAGE_INSTALL ?? '', /\bpitv-update\b/);
        assert.match(image.variables.BAD_RECOMMENDATIONS ?? '', /\brauc-mark-good\b/);
        const files = (image.variables.IMAGE_BOOT_FILES ?? '').split(/\s+/);
        assert.ok(files.some((file) => /^u-boot\.bin;kernel\w*\.img$/.test(file)));
        assert.equal(files.filter((file) => /boot\.scr$/.test(file)).length, 1);
        assert.ok(!files.some((file) => file.startsWith('zImage')), 'kernels are in the slots');
        assert.ok('do_image_pitvcard' in image.tasks);
        const { variables } = recipes['pitv-update_0.2.0.bb'];
        assert.equal(variables.KERNEL_IMAGETYPE, 'zImage');
        assert.equal(variables.UBOOT_ARCH, 'arm');
        assert.match(variables.SRC_URI ?? '', /file:\/\/cert\.pem/);
        const bundle = recipes['pitv-bundle_0.2.0.bb'].variables;
        assert.equal(bundle.RAUC_BUNDLE_COMPATIBLE, `pitv-yocto-${machine}`);
      });
    }

    test('the kernel can mount the root and a bundle, and the root is named by U-Boot', async () => {
      const build = makeBuild({ machine: boards[0], more: ['meta-rauc'], settings: key('key') });
      const recipes = await build.evaluate(['CMDLINE', 'SRC_URI'], changed);
      assert.match(recipes['rpi-cmdline.bb'].variables.CMDLINE ?? '', / rootfstype=squashfs /);
      const kernel = recipes['linux-raspberrypi_6.18.bb'].variables.SRC_URI ?? '';
      assert.match(kernel, /file:\/\/pitv-update\.cfg/);
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
      const recipes = await makeBuild({ machine: boards[0], settings: key('key') }).evaluate(
        ['PV'],
        [IMAGE, DEVELOPER_IMAGE],
      );
      for (const { skipped } of Object.values(recipes)) assert.match(skipped ?? '', /meta-rauc/);
    });
  });

  test(
    'with meta-webkit and PITV_KIOSK, the image has a browser',
    { skip: lacksLayer('meta-webkit') },
    async () => {
      const kiosk = join(
        LAYER,
        'dynamic-layers/webkit/recipes-pitv/pitv-kiosk/pitv-kiosk_0.2.0.bb',
      );
      const wayland = upstream('openembedded-core/meta/recipes-graphics/wayland');
      const weston = readdirSync(wayland).find((file) => /^weston_.*\.bb$/.test(file)) ?? '';
      const compositor = join(wayland, weston);
      const options = { machine: 'raspberrypi4', settings: 'PITV_KIOSK = "1"' };
      const recipes = await makeBuild({ ...options, more: ['meta-webkit'] }).evaluate(
        [
          'DISTRO_FEATURES',
          'IMAGE_INSTALL',
          'BAD_RECOMMENDATIONS',
          'CMDLINE',
          'RDEPENDS:pitv-kiosk',
        ],
        [IMAGE, kiosk, compositor, ...changed],
      );
      for (const [name, { skipped }] of Object.entries(recipes)) assert.equal(skipped, null, name);
      const { variables } = recipes['pitv-image.bb'];
      assert.match(variables.IMAGE_INSTALL ?? '', /\bpitv-kiosk\b/);
      assert.match(variables.BAD_RECOMMENDATIONS ?? '', /\bweston-init\b/);
      for (const feature of ['opengl', 'wayland', 'alsa'])
        assert.ok(variables.DISTRO_FEATURES?.split(' ').includes(feature), feature);
      assert.match(recipes['rpi-cmdline.bb'].variables.CMDLINE ?? '', /\bcma=192M\b/);
      const needed = recipes['pitv-kiosk_0.2.0.bb'].variables['RDEPENDS:pitv-kiosk'] ?? '';
      assert.match(needed, /\bcog\b.*\bweston\b/s);
      const without = await makeBuild(options).evaluate(['PV'], [IMAGE]);
      assert.match(without['pitv-image.bb'].skipped ?? '', /meta-webkit/);
    },
  );

  test('testimage.yml starts the image for developers with a login prompt, and its suite asks the TV', async (t) => {
    const names = ['TEST_SUITES', 'TEST_RUNQEMUPARAMS', 'IMAGE_FSTYPES', 'QB_DEFAULT_FSTYPE'];
    const build = makeBuild({ machine: 'qemuarm', settings: kasSettings('testimage.yml') });
    const recipes = await build.evaluate(
      [...names, 'QB_SLIRP_OPT', 'SERIAL_CONSOLES', 'IMAGE_FEATURES'],
      [DEVELOPER_IMAGE],
    );
    const { skipped, variables, tasks } = recipes['pitv-image-dev.bb'];
    assert.equal(skipped, null);
    assert.ok('do_testimage' in tasks);
    assert.equal(variables.TEST_SUITES, 'pitv');
    assert.match(variables.TEST_RUNQEMUPARAMS ?? '', /\bslirp\b/);
    assert.ok(variables.IMAGE_FSTYPES?.split(' ').includes(variables.QB_DEFAULT_FSTYPE ?? ''));
    // QEMU's second console has the login prompt for which the tests wait.
    assert.match(variables.SERIAL_CONSOLES ?? '', /ttyAMA0 .*hvc0/);
    assert.match(variables.IMAGE_FEATURES ?? '', /\bempty-root-password\b/);

    const tv = await startServe(t);
    const { port } = tv;
    const forwarded = (variables.QB_SLIRP_OPT ?? '').replace(':18080-', `:${port}-`);
    const cases = join(LAYER, 'lib/oeqa/runtime/cases');
    const { status, stdout, output } = await build.run('python3', [
      TESTIMAGE_CASE,
      cases,
      forwarded,
    ]);
    assert.equal(status, 0, output);
    const answer = JSON.parse(stdout.slice(stdout.indexOf('{"')));
    assert.deepEqual(answer.cases, ['pitv.PitvTest.test_healthz']);
    assert.equal(answer.port, port);
    assert.equal(answer.health.ok, true);
  });

  test("the kernel's command line names the root of the card, and KMS sets the picture", async () => {
    const recipes = await makeBuild({ machine: 'raspberrypi3' }).evaluate(
      ['CMDLINE', 'VC4DTBO', 'HDMI_FORCE_HOTPLUG', 'SRC_URI'],
      changed,
    );
    const wks = readFileSync(join(LAYER, 'files/wic/pitv.wks'), 'utf8');
    const [, signature] = /--diskid 0x([0-9a-f]+)/.exec(wks) ?? [];
    const { CMDLINE } = recipes['rpi-cmdline.bb'].variables;
    assert.match(CMDLINE ?? '', new RegExp(` root=PARTUUID=${signature}-02 .* ro `));
    const config = recipes['rpi-config_git.bb'].variables;
    assert.equal(config.VC4DTBO, 'vc4-kms-v3d');
    assert.equal(config.HDMI_FORCE_HOTPLUG, null);
    const kernel = recipes['linux-raspberrypi_6.18.bb'].variables.SRC_URI ?? '';
    assert.match(kernel, /file:\/\/pitv\.cfg/);
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
      const recipes = await new Build(folder, { layer, settings }).evaluate(
        ['PV'],
        ownRecipes(layer),
      );
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
    const { status, stdout, output } = await build.run('python3', [
      NPM_SPDX,
      join(LAYER, 'recipes-pitv/pitv/pitv_0.2.0.bb'),
      join(LAYER, 'classes-recipe/npm_packages_spdx.bbclass'),
      folder,
    ]);
    assert.equal(status, 0, output);
    /** @type {any[]} */
    const elements = JSON.parse(stdout.slice(stdout.indexOf('{"')))['@graph'];
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
    const recipe = join(layer, 'recipes-pitv/pitv/pitv-addons_0.2.0.bb');
    const unpack = () =>
      makeBuild({ layer, settings: 'PITV_DIST = "/nowhere"' }).run('bitbake', [
        '-b',
        recipe,
        '-c',
        'unpack',
      ]);
    const { status, output } = await unpack();
    assert.equal(status, 0, output);
    await appendFile(dist.archive, 'x');
    const refused = await unpack();
    assert.notEqual(refused.status, 0);
    assert.match(refused.output, /[Cc]hecksum mismatch/);
  });
});

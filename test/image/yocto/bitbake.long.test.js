/**
 * BitBake evaluates the layer's recipes together with the other layers, for every board and for another distribution.
 * It needs their sources: PITV_YOCTO_LAYERS, see upstream.js.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, createReadStream, readFileSync, readdirSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeDist } from '../../../image/yocto/dist.js';
import { Build, LAYER, commits, noUpstream, pinned, upstream } from './upstream.js';

const KAS = join(LAYER, '../kas');
const MACHINES = readdirSync(KAS).flatMap(
  (file) => /^machine: (.+)$/m.exec(readFileSync(join(KAS, file), 'utf8'))?.[1] ?? [],
);
const WITH_WIFI = ['raspberrypi0-2w', 'raspberrypi3', 'raspberrypi4'];

/** @param {string} layer */
const ownRecipes = (layer) =>
  [
    ...['images/pitv-image.bb', 'images/pitv-image-dev.bb', 'pitv-system/pitv-system_0.1.0.bb'],
    ...['pitv/pitv_0.1.0.bb', 'pitv/pitv-addons_0.1.0.bb'],
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
    const [here, there] = await Promise.all([
      makeBuild().evaluate(['PV'], ownRecipes(LAYER)),
      makeBuild({
        layer: elsewhere,
        settings: `PITV_DIST = "${join(work, 'elsewhere/dist')}"`,
      }).evaluate(['PV'], ownRecipes(elsewhere)),
    ]);
    assert.ok('do_rootfs' in here['pitv-image.bb'].tasks);
    assert.deepEqual(there, here);
  });

  /** Replaces OpenEmbedded's own pseudo and rpmdeps, which would have to be built. */
  const FAKEROOT = `FAKEROOTCMD = "/usr/bin/fakeroot"
SKIP_FILEDEPS = "1"
do_install[network] = "1"
do_package[network] = "1"
`;
  const noFakeroot = spawnSync('fakeroot', ['--version']).status !== 0 && 'fakeroot is missing';

  test(
    'the npm packages are in the SPDX document of the package',
    { skip: noFakeroot },
    async () => {
      const build = makeBuild({ settings: FAKEROOT });
      const recipe = join(LAYER, 'recipes-pitv/pitv/pitv_0.1.0.bb');
      const { status, output } = await build.run('bitbake', ['-b', recipe, '-c', 'create_spdx']);
      assert.equal(status, 0, output);
      const folder = join(build.folder, 'tmp/deploy/spdx');
      const [file] = readdirSync(folder, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('packages-staging/package-pitv.spdx.json'));
      /** @type {any[]} */
      const elements = JSON.parse(readFileSync(join(folder, file), 'utf8'))['@graph'];
      const listed = JSON.parse(readFileSync(dist.licenses, 'utf8'));
      const found = elements
        .filter(({ software_packageUrl: url }) => url?.startsWith('pkg:npm/'))
        .map(({ name, software_packageVersion: version }) => `${name} ${version}`);
      const expected = listed.map((/** @type {any} */ { name, version }) => `${name} ${version}`);
      assert.ok(found.some((each) => each.startsWith('@')));
      assert.deepEqual(found.sort(), [...new Set(expected)].sort());
    },
  );

  test('a released layer fetches its archive, and refuses a changed one', async () => {
    const layer = join(work, 'meta-pitv');
    execFileSync('tar', ['-xJf', dist.layer ?? '', '-C', work]);
    const recipe = join(layer, 'recipes-pitv/pitv/pitv-addons_0.1.0.bb');
    const unpack = () =>
      makeBuild({ layer, settings: 'PITV_DIST = "/nowhere"' }).run('bitbake', [
        ...['-b', recipe, '-c', 'unpack'],
      ]);
    const { status, output } = await unpack();
    assert.equal(status, 0, output);
    await appendFile(dist.archive, 'x');
    const refused = await unpack();
    assert.notEqual(refused.status, 0);
    assert.match(refused.output, /[Cc]hecksum mismatch/);
  });
});

/**
 * Runs BitBake with the layers that the kas files name. PITV_YOCTO_LAYERS is a folder with clones of them:
 * bitbake, openembedded-core, meta-openembedded, meta-raspberrypi (`kas checkout` makes it as `layers`). With meta-rauc
 * and meta-webkit, the card with two systems and the one with a browser are evaluated, too.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeTree } from '../../support/folders.js';
import { LAYER, nameOf } from './recipes.js';

const REPOS = ['bitbake', 'openembedded-core', 'meta-openembedded', 'meta-raspberrypi'];
const EVALUATE = fileURLToPath(new URL('evaluate.py', import.meta.url));
/** BitBake does not run as root. */
const ORDINARY_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const layers = process.env.PITV_YOCTO_LAYERS ?? '';

/** Returns why BitBake cannot run here, for a test's `skip`. @param {string[]} [more] repositories of other layers */
export function lacksLayers(more = []) {
  const missing = [...REPOS, ...more].filter((repo) => !existsSync(join(layers, repo)));
  return missing.length > 0 && `PITV_YOCTO_LAYERS names no folder with ${missing.join(', ')}`;
}

/** Returns the path of a file in one of the repositories. @param {string[]} path */
export const upstream = (...path) => join(layers, ...path);

/**
 * @typedef {object} Build
 * @property {string} [machine]
 * @property {string} [distro]
 * @property {string} [layer] where meta-pitv is
 * @property {string} [sources] PITV_DIST
 * @property {string} [settings] lines for local.conf
 * @property {string[]} [more] repositories of other layers
 */

/**
 * Makes a build folder, or gives it other settings.
 * @param {string} folder @param {Build} build
 * @returns {string} the folder
 */
export function makeBuild(
  folder,
  { machine = 'qemuarm', distro = 'pitv-os', layer = LAYER, sources, settings = '', more = [] },
) {
  const repos = ['openembedded-core/meta', 'meta-openembedded/meta-oe', 'meta-raspberrypi'];
  const used = [...[...repos, ...more].map((repo) => upstream(repo)), layer];
  writeTree(folder, {
    'conf/bblayers.conf': `BBPATH = "\${TOPDIR}"\nBBFILES = ""\nBBLAYERS = "${used.join(' ')}"\n`,
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

/** Runs evaluate.py. @param {string} folder of makeBuild() @param {string[]} args @returns {Promise<any>} */
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
 * @typedef {object} Evaluated
 * @property {string | null} skipped
 * @property {Record<string, any>} variables strings, null where they are not set
 * @property {Record<string, string>} tasks name -> hash
 */

/**
 * Evaluates recipes.
 * @param {string} folder of makeBuild()
 * @param {string[]} recipes paths, each followed by `+` and the path of an append
 * @param {string[]} [variables]
 * @returns {Promise<Record<string, Evaluated>>} by nameOf() of the recipe
 */
export async function evaluate(folder, recipes, variables = ['PV']) {
  const found = await readJson(folder, [variables.join(','), ...recipes]);
  return Object.fromEntries(Object.entries(found).map(([file, each]) => [nameOf(file), each]));
}

/**
 * Adds the npm packages to a new SPDX document, as the class of the layer does it.
 * @param {string} folder of makeBuild() @param {string} recipe @param {string} work folder with licenses.json
 * @returns {Promise<any[]>} the elements of the document
 */
export async function describePackages(folder, recipe, work) {
  const bbclass = join(LAYER, 'classes-recipe/npm_packages_spdx.bbclass');
  return (await readJson(folder, ['--spdx', recipe, bbclass, work]))['@graph'];
}

/**
 * Runs BitBake with the layers that the kas files name. PITV_YOCTO_LAYERS is a folder with clones of them:
 * bitbake, openembedded-core, meta-openembedded, meta-raspberrypi (`kas checkout` makes it as `layers`). With meta-rauc
 * and meta-webkit, the card with two systems and the one with a browser are evaluated, too.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAYER, YOCTO } from './recipes.js';

const REPOS = ['bitbake', 'openembedded-core', 'meta-openembedded', 'meta-raspberrypi'];
const EVALUATE = fileURLToPath(new URL('evaluate.py', import.meta.url));
/** BitBake does not run as root. */
const ORDINARY_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const layers = process.env.PITV_YOCTO_LAYERS ?? '';

const missing = REPOS.filter((repo) => !existsSync(join(layers, repo)));
/** Why BitBake cannot run here, for a test's `skip`; false where it can. */
export const noUpstream =
  missing.length > 0 && `PITV_YOCTO_LAYERS names no folder with ${missing.join(', ')}`;

/** Why a test that needs another layer is skipped. @param {string} repo */
export const lacksLayer = (repo) =>
  noUpstream || (!existsSync(join(layers, repo)) && `${layers} has no ${repo}`);

/** Returns the path of a file in one of the repositories. @param {string[]} path */
export const upstream = (...path) => join(layers, ...path);

/**
 * @typedef {object} Evaluated
 * @property {string | null} skipped
 * @property {Record<string, any>} variables strings, null where they are not set
 * @property {Record<string, string>} tasks name -> hash
 */

/** A build folder. */
export class Build {
  /**
   * Makes a build folder, or gives it other settings.
   * @param {string} folder
   * @param {object} [options]
   * @param {string} [options.machine]
   * @param {string} [options.distro]
   * @param {string} [options.layer] where meta-pitv is; '' leaves it out
   * @param {string} [options.settings] lines for local.conf
   * @param {string[]} [options.more] repositories of other layers
   */
  constructor(
    folder,
    { machine = 'qemuarm', distro = 'pitv-os', layer = LAYER, settings = '', more = [] } = {},
  ) {
    this.folder = folder;
    const repos = [
      'openembedded-core/meta',
      'meta-openembedded/meta-oe',
      'meta-raspberrypi',
      ...more,
    ];
    const used = [...repos.map((repo) => upstream(repo)), layer];
    mkdirSync(join(folder, 'conf'), { recursive: true });
    writeFileSync(
      join(folder, 'conf/bblayers.conf'),
      `BBPATH = "\${TOPDIR}"\nBBFILES = ""\nBBLAYERS = "${used.join(' ')}"\n`,
    );
    writeFileSync(
      join(folder, 'conf/local.conf'),
      `CONF_VERSION = "2"\nMACHINE = "${machine}"\nDISTRO = "${distro}"\nBB_NUMBER_THREADS = "2"\n` +
        `CONNECTIVITY_CHECK_URIS = ""\nINHERIT:remove = "uninative"\n${settings}\n`,
    );
    writeFileSync(join(folder, '.gitconfig'), '[safe]\n\tdirectory = *\n');
    const { uid, gid } = ORDINARY_USER;
    if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, folder]);
  }

  /**
   * Runs a program in the build folder.
   * @param {string} program
   * @param {string[]} args
   * @returns {Promise<{status: number, stdout: string, output: string}>} output: both streams
   */
  async run(program, args) {
    const tools = [upstream('openembedded-core/scripts'), upstream('bitbake/bin')];
    const options = {
      cwd: this.folder,
      maxBuffer: 2 ** 28,
      ...ORDINARY_USER,
      env: {
        PATH: [...tools, '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'].join(':'),
        PYTHONPATH: [upstream('bitbake/lib'), upstream('openembedded-core/meta/lib')].join(':'),
        HOME: this.folder,
        BUILDDIR: this.folder,
        BBPATH: this.folder,
        LANG: 'en_US.UTF-8',
        LC_ALL: 'en_US.UTF-8',
      },
    };
    return new Promise((resolve, reject) => {
      execFile(program, args, options, (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number') return reject(error);
        resolve({ status: Number(error?.code ?? 0), stdout, output: stdout + stderr });
      });
    });
  }

  /**
   * Evaluates recipes.
   * @param {string[]} variables
   * @param {string[]} recipes paths, each followed by `+` and the path of an append
   * @returns {Promise<Record<string, Evaluated>>} by the recipe's file name
   */
  async evaluate(variables, recipes) {
    return this.json('python3', [EVALUATE, variables.join(','), ...recipes]);
  }

  /**
   * Runs a program that prints JSON, after other lines.
   * @param {string} program @param {string[]} args
   * @returns {Promise<any>}
   */
  async json(program, args) {
    const { status, stdout, output } = await this.run(program, args);
    if (status !== 0) throw new Error(output);
    return JSON.parse(stdout.slice(stdout.indexOf('{"')));
  }
}

/** Returns the lines that a kas file adds to local.conf. @param {string} name of the file */
export function kasSettings(name) {
  const text = readFileSync(join(YOCTO, 'kas', name), 'utf8');
  const [, blocks = ''] = /^local_conf_header:\n((?: .*\n?|\n)*)/m.exec(text) ?? [];
  return [...blocks.matchAll(/^ {4}(.*)$/gm)].map(([, line]) => line).join('\n');
}

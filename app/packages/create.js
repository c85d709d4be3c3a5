/** Makes the package of a new game from the files in template/. */
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../errors.js';
import { reasonOf } from '../storage/reason.js';
import { makeDirectory } from '../storage/store.js';
import { linkPitv } from './link.js';
import { API, KEYWORD, MANIFEST_FILE, checkManifest } from './manifest.js';

const TEMPLATE = fileURLToPath(new URL('template', import.meta.url));
/** Words of the template that stand for the game's id and title. */
const ID = 'my-game';
const TITLE = 'My game';

/**
 * Makes a package. Its folder may exist if it is empty.
 * @param {string} folder absolute; its name becomes the name of the package
 * @throws {PitvError} PITV_USAGE, PITV_FILE_UNWRITABLE
 */
export async function createPackage(folder) {
  const manifest = makeManifest(basename(folder));
  let isEmpty = false;
  try {
    await makeDirectory(folder, 0o777);
    if ((await readdir(folder)).length > 0) {
      throw new PitvError('PITV_USAGE', `${folder} is not empty.`);
    }
    isEmpty = true;
    for (const name of await readdir(TEMPLATE)) {
      await copyTemplate(join(TEMPLATE, name), join(folder, name), manifest.name);
    }
    await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, undefined, 2)}\n`);
    await writeFile(join(folder, '.gitignore'), 'node_modules/\n*.tgz\n');
    await linkPitv(folder);
  } catch (cause) {
    if (cause instanceof PitvError) throw cause;
    if (isEmpty) await rm(folder, { recursive: true, force: true });
    const sentence = `${folder} cannot be written: ${reasonOf(cause)}.`;
    throw new PitvError('PITV_FILE_UNWRITABLE', sentence, { cause });
  }
}

/** @param {string} name of the package @throws {PitvError} PITV_USAGE */
function makeManifest(name) {
  const manifest = {
    name,
    version: '0.1.0',
    description: 'A game for pitv',
    keywords: [KEYWORD],
    license: 'MIT',
    type: 'module',
    scripts: { test: 'node --test' },
    pitv: { game: 'game.js', api: API },
  };
  try {
    if (checkManifest(manifest).id === name) return manifest;
  } catch {
    // its name is wrong: the rest is not
  }
  const sentence = `The folder's name must be the id of the game, such as ${ID}: a letter, then at most 39 letters, digits and hyphens, all in lower case.`;
  throw new PitvError('PITV_USAGE', sentence);
}

/** @param {string} from @param {string} to @param {string} id */
async function copyTemplate(from, to, id) {
  const words = id.replaceAll('-', ' ');
  const title = words[0].toUpperCase() + words.slice(1);
  const text = await readFile(from, 'utf8');
  await writeFile(to, text.replaceAll(ID, id).replaceAll(TITLE, title));
}

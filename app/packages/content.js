/**
 * The files of a package besides its code: pictures in art/, sounds in sounds/ and texts in other languages in
 * locales/. Only the headers of pictures and sounds are read; browsers decode them, as that and nothing else.
 */
import { join } from 'node:path';
import { LIMITS } from '../limits/table.js';
import { PitvError, messageOf } from '../errors.js';
import { listNames, parseJson, readRegularFile } from '../storage/saved-files.js';
import { invalid } from './manifest.js';
import { pictureType, soundType } from './media.js';

/**
 * @typedef {'art' | 'sounds' | 'locales'} Kind folder in the package
 * @typedef {{bytes: Buffer, type: string}} Media
 *
 * @typedef {object} Folder
 * @property {RegExp} name of each file
 * @property {string} allowed the end of the sentence about other names
 * @property {number} maxFiles
 * @property {number} maxBytes of a file
 * @property {(path: string, bytes: Buffer) => any} parse checks the content of a file
 */

export const FOLDERS = Object.freeze(
  /** @type {Record<Kind, Folder>} */ ({
    art: {
      name: /^[\w-][\w.-]*\.(png|webp)$/,
      allowed: '.png and .webp files',
      maxFiles: LIMITS.pictures.value,
      maxBytes: LIMITS.pictureBytes.value,
      parse: (path, bytes) => ({ bytes, type: pictureType(path, bytes) }),
    },
    sounds: {
      name: /^[\w-][\w.-]*\.wav$/,
      allowed: '.wav files',
      maxFiles: LIMITS.sounds.value,
      maxBytes: LIMITS.soundBytes.value,
      parse: (path, bytes) => ({ bytes, type: soundType(path, bytes) }),
    },
    locales: {
      name: /^[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*\.json$/, // a BCP 47 code
      allowed: 'files such as ko.json',
      maxFiles: LIMITS.locales.value,
      maxBytes: LIMITS.localeBytes.value,
      parse: (_path, bytes) => parseJson(bytes),
    },
  }),
);

/** @param {Kind} kind @param {string} name @throws {PitvError} PITV_PACKAGE_INVALID */
function checkName(kind, name) {
  const { name: pattern, allowed } = FOLDERS[kind];
  if (pattern.test(name)) return;
  throw invalid(`${kind}/ may only contain ${allowed}, not ${JSON.stringify(name)}.`);
}

/**
 * Checks a picture or a sound.
 * @param {'art' | 'sounds'} kind @param {string} name of the file @param {Buffer} bytes @returns {Media}
 * @throws {PitvError} PITV_PACKAGE_INVALID
 */
export function checkMedia(kind, name, bytes) {
  checkName(kind, name);
  return FOLDERS[kind].parse(`${kind}/${name}`, bytes);
}

/**
 * Reads and checks a file.
 * @param {string} folder of the package @param {Kind} kind @param {string} name of the file
 * @returns {Promise<any>} Media, or parsed texts
 * @throws {PitvError} PITV_PACKAGE_INVALID, or the error of the file system
 */
export async function readContent(folder, kind, name) {
  checkName(kind, name);
  const { maxBytes, parse } = FOLDERS[kind];
  const path = `${kind}/${name}`;
  try {
    return parse(path, await readRegularFile(join(folder, path), maxBytes));
  } catch (error) {
    if (!(error instanceof PitvError) || error.code === 'PITV_PACKAGE_INVALID') throw error;
    throw invalid(`${path} cannot be used: ${messageOf(error)}`);
  }
}

/** @param {string} folder of the package @param {Kind} kind @returns {Promise<[name: string, content: any][]>} */
async function readAll(folder, kind) {
  const names = await listNames(join(folder, kind), /./);
  const { length } = names;
  const { maxFiles } = FOLDERS[kind];
  if (length > maxFiles) throw invalid(`${kind}/ has ${length} files; ${maxFiles} are allowed.`);
  /** @type {[string, any][]} */
  const contents = [];
  for (const name of names) contents.push([name, await readContent(folder, kind, name)]);
  return contents;
}

/** Checks all files. @param {string} folder of the package @throws {PitvError} PITV_PACKAGE_INVALID */
export async function checkContent(folder) {
  for (const kind of /** @type {Kind[]} */ (Object.keys(FOLDERS))) await readAll(folder, kind);
}

/**
 * Reads all texts. What they contain is not checked here.
 * @param {string} folder of the package @returns {Promise<Record<string, unknown>>} by language
 * @throws {PitvError} PITV_PACKAGE_INVALID
 */
export async function readLocales(folder) {
  const texts = await readAll(folder, 'locales');
  return Object.fromEntries(texts.map(([name, each]) => [name.replace(/\.json$/, ''), each]));
}

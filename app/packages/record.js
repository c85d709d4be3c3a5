/** The file games/ID.json of an installed package. */
import { integer, like, oneOf, optional, shape, text } from '../options.js';
import { SHA256 } from '../storage/checks.js';
import { parseFields } from '../storage/saved-files.js';

/** Where packages come from. A package that was uploaded, or came with pitv, has no `from`. */
const KINDS = Object.freeze(['npm', 'folder', 'file', 'upload', 'bundled']);
const NAME = /^([a-z][a-z0-9-]*)\.json$/;
const FOLDER = /^[a-z][a-z0-9-]*-[0-9a-f]{16}$/;
const MAX_TEXT = 4096;

/**
 * @typedef {{kind: 'npm' | 'folder' | 'file' | 'upload' | 'bundled', from?: string}} Source from: name[@version] or
 *   path
 *
 * @typedef {object} Files of an installed package
 * @property {string} folder name of the folder of this version
 * @property {number} bytes of its files
 * @property {number} files number of files
 * @property {string} hash of its files, hex
 * @property {Source} source
 * @property {number} installedAt ms since 1970
 *
 * @typedef {import('./manifest.js').Manifest & Files} Installed
 */

const FIELDS = {
  id: text(MAX_TEXT),
  name: text(MAX_TEXT),
  version: text(MAX_TEXT),
  game: text(MAX_TEXT),
  api: integer(1, 1e6),
  folder: like('the name of a folder', FOLDER),
  bytes: integer(0),
  files: integer(0),
  hash: SHA256,
  source: shape({ kind: oneOf(KINDS), from: optional(text(MAX_TEXT)) }),
  installedAt: integer(0),
};

/** @param {string} id */
export const recordName = (id) => `${id}.json`;
/** @param {string} name */
export const isRecordName = (name) => NAME.test(name);

/** Parses a record. @param {Buffer} bytes @returns {Installed} @throws PITV_SAVED_INVALID */
export const parseRecord = (bytes) => parseFields(bytes, undefined, FIELDS);

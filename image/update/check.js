/** Checks a bundle as a card does before it installs one: signature, content, system. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PitvError, messageOf } from '../../app/errors.js';
import { run } from '../sd/shell.js';

/** Returns what RAUC compares. @param {string} system see systemName() in boards.js */
export const compatibleWith = (system) => `pitv-${system}`;

/**
 * Checks a bundle.
 * @param {string} file
 * @param {{system: string, cert: string}} expected cert: path of the certificate whose key signed it
 * @returns {Promise<{version: string, images: string[]}>} images: names of the slots
 * @throws {PitvError} PITV_UPDATE_SIGNATURE, PITV_UPDATE_DAMAGED, PITV_UPDATE_BOARD
 */
export async function checkBundle(file, { system, cert }) {
  /** @param {string} code @param {string} sentence @param {unknown} cause */
  const refusal = (code, sentence, cause) =>
    new PitvError(code, `${sentence}\n${messageOf(cause)}`, { cause });
  const info = await run('rauc', [
    'info',
    '--keyring',
    cert,
    '--output-format',
    'json',
    file,
  ]).catch((cause) => {
    throw refusal('PITV_UPDATE_SIGNATURE', 'The signature is not valid for this key.', cause);
  });
  const { compatible, version, images } = JSON.parse(info);
  if (compatible !== compatibleWith(system))
    throw new PitvError(
      'PITV_UPDATE_BOARD',
      `The bundle is for ${compatible}, not for ${compatibleWith(system)}.`,
    );
  const work = await mkdtemp(join(tmpdir(), 'pitv-bundle-'));
  try {
    // `info` checks the signature and the hash tree's root; `extract` also compares the content with the tree.
    await run('rauc', ['extract', '--keyring', cert, file, join(work, 'content')]);
  } catch (cause) {
    throw refusal('PITV_UPDATE_DAMAGED', 'The content is damaged.', cause);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return { version, images: images.flatMap((/** @type {object} */ image) => Object.keys(image)) };
}

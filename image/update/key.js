/**
 * `make update-key KEY=FOLDER`: makes the key that signs updates, and its certificate, which the card will have. The
 * folder is outside of the project, so that the key is never committed.
 */
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { PitvError, messageOf } from '../../app/errors.js';
import { program, usage } from '../program.js';
import { PROJECT } from '../sd/app.js';
import { cacheRoot } from '../sd/layers.js';
import { run, words } from '../sd/shell.js';

/** In the certificate's subject. Releases refuse a development key. */
const NAMES = Object.freeze({ release: 'pitv updates', development: 'pitv development updates' });
/**
 * Longer than a card is used. RAUC checks the certificate's dates, and a board without a network has no right clock.
 */
const DAYS = 40 * 365;

const HELP = `Usage: node image/update/key.js --key FOLDER [--development]
  --key FOLDER    the new folder; gets key.pem and cert.pem
  --development   a key for tests, which releases refuse`;

const OPTIONS = /** @type {const} */ ({
  key: { type: 'string' },
  development: { type: 'boolean' },
});

/**
 * @typedef {object} UpdateKey
 * @property {string} key path of the private key, readable by its owner only
 * @property {string} cert path of the certificate
 */

/** @param {string} sentence @param {unknown} [cause] */
const refusal = (sentence, cause) => new PitvError('PITV_UPDATE_KEY', sentence, { cause });

/** Returns the files of a key. @param {string} folder @returns {UpdateKey} */
const keyIn = (folder) => ({ key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') });

/**
 * Returns the key in a folder, after a check.
 * @param {string | undefined} folder @param {Parameters<typeof checkKey>[1]} [options]
 * @throws {PitvError} PITV_UPDATE_KEY
 */
export async function openKey(folder, options) {
  if (folder === undefined) return undefined;
  const key = keyIn(folder);
  await checkKey(key, options);
  return key;
}

/**
 * Makes a key.
 * @param {string} folder does not exist yet, and is not in the project
 * @param {{development?: boolean}} [options]
 * @returns {Promise<UpdateKey>}
 * @throws {PitvError} PITV_UPDATE_KEY
 */
export async function makeKey(folder, { development = false } = {}) {
  const path = resolve(folder);
  if (!relative(PROJECT, path).startsWith('..'))
    throw refusal(`${path} is in the project. Keep the key elsewhere.`);
  await mkdir(dirname(path), { recursive: true });
  // mkdtemp() makes a folder that only its owner may enter.
  const draft = await mkdtemp(`${path}.`);
  try {
    const { key, cert } = keyIn(draft);
    const name = development ? NAMES.development : NAMES.release;
    // RAUC accepts the purpose smimesign.
    const uses = words`-addext keyUsage=critical,digitalSignature
      -addext extendedKeyUsage=critical,emailProtection`;
    const args = words`req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc
      -keyout ${key} -out ${cert} -days ${DAYS} -subj ${`/O=pitv/CN=${name}`} ${uses}`;
    await run('openssl', args);
    await rename(draft, path).catch((cause) => {
      throw refusal(`${path} exists. A key is never replaced.`, cause);
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return keyIn(path);
}

/** Returns a development key, the same each time, so that a root that has its certificate stays in the cache. */
export async function developmentKey() {
  const folder = join(cacheRoot(), 'development-key');
  return makeKey(folder, { development: true }).catch(() => keyIn(folder));
}

/**
 * Checks that a key may be used.
 * @param {UpdateKey} key
 * @param {object} [options]
 * @param {boolean} [options.development] whether a development key is accepted
 * @param {boolean} [options.signs] whether the private key is needed: a card has the certificate only
 * @throws {PitvError} PITV_UPDATE_KEY
 */
export async function checkKey({ key, cert }, { development = false, signs = false } = {}) {
  let certificate;
  let isPair = true;
  try {
    certificate = new X509Certificate(await readFile(cert));
    if (signs) isPair = certificate.checkPrivateKey(createPrivateKey(await readFile(key)));
  } catch (cause) {
    const sentence = `${dirname(cert)} has no key for updates (${messageOf(cause)}). Name the folder that \`make update-key\` has made.`;
    throw refusal(sentence, cause);
  }
  if (!isPair) throw refusal(`${key} and ${cert} do not belong together.`);
  const isForDevelopment = certificate.subject.split('\n').includes(`CN=${NAMES.development}`);
  if (!development && isForDevelopment)
    throw refusal(
      'The key is for development, and a release needs another one. Run `make update-key`.',
    );
}

await program(import.meta, HELP, OPTIONS, async ({ key, development }) => {
  if (!key) throw usage('Name the new folder of the key with --key.');
  const made = await makeKey(key, { development });
  console.log(`${made.key}\n${made.cert}\nKeep a copy: without the key, cards accept no update.`);
});

/**
 * `make update-key KEY=FOLDER`: makes the keys that sign updates. A card trusts roots. A root signs the certificates of
 * leaves, and the leaf signs updates. The folder is outside of the project, so that no key is ever committed:
 *
 *     key.pem, cert.pem   the leaf in use
 *     chain.pem           the certificate of its root; of a successor, the one that the first root has signed
 *     keyring.pem         for cards: all roots, and what they have revoked
 *     root-1/             a root: key.pem (only this program needs it), cert.pem, crl.pem if a leaf was revoked,
 *                         and its leaves in leaves/ and revoked/. A successor is root-2, and so on
 */
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError, messageOf } from '../../app/errors.js';
import { makeDirectory } from '../../app/storage/store.js';
import { program, usage } from '../program.js';
import { PROJECT } from '../sd/app.js';
import { cacheRoot } from '../sd/layers.js';
import { run, words } from '../sd/shell.js';

const CONFIG = fileURLToPath(new URL('openssl.cnf', import.meta.url));
/** In the certificates' subjects. Releases refuse a development key. */
const NAMES = Object.freeze({ release: 'pitv updates', development: 'pitv development updates' });
/** A root is longer valid than a card is used. RAUC checks a leaf at the time of the signature. */
const DAYS = Object.freeze({ root: 40 * 365, leaf: 3 * 365 });

const HELP = `Usage: node image/update/key.js --key FOLDER [--leaf|--revoke|--successor] [--development]
  --key FOLDER    the folder; it is made, with a root and a leaf, unless there is another option
  --leaf          a new leaf of the newest root
  --revoke        revokes all leaves, and makes a new one
  --successor     a new root, signed by the first one. The leaf stays; the next one is of the new root
  --development   a key for tests, which releases refuse`;

const OPTIONS = /** @type {const} */ ({
  key: { type: 'string' },
  leaf: { type: 'boolean' },
  revoke: { type: 'boolean' },
  successor: { type: 'boolean' },
  development: { type: 'boolean' },
});

/**
 * @typedef {object} UpdateKey
 * @property {string} key path of the leaf's private key, readable by its owner only
 * @property {string} cert path of its certificate
 * @property {string} chain path of its root's certificate
 * @property {string} keyring path of what a card trusts
 */

/** @param {string} sentence @param {unknown} [cause] */
const refusal = (sentence, cause) => new PitvError('PITV_UPDATE_KEY', sentence, { cause });

/** Returns the files of a key. @param {string} folder @returns {UpdateKey} */
function keyIn(folder) {
  const at = (/** @type {string} */ name) => join(resolve(folder), `${name}.pem`);
  return { key: at('key'), cert: at('cert'), chain: at('chain'), keyring: at('keyring') };
}

/**
 * Returns the key in a folder, if it may be used.
 * @param {string | undefined} path
 * @param {object} [options]
 * @param {boolean} [options.development] whether a development key is accepted
 * @param {boolean} [options.signs] whether it signs an update: a card needs the keyring only
 * @throws {PitvError} PITV_UPDATE_KEY
 */
export async function openKey(path, { development = false, signs = false } = {}) {
  if (path === undefined) return undefined;
  const folder = resolve(path);
  const files = keyIn(folder);
  let certificate;
  let isPair = true;
  try {
    certificate = new X509Certificate(await readFile(files.cert));
    await readFile(files.keyring);
    if (signs) isPair = certificate.checkPrivateKey(createPrivateKey(await readFile(files.key)));
  } catch (cause) {
    const sentence = `${folder} has no key for updates (${messageOf(cause)}). Name the folder that \`make update-key\` has made. A key of an earlier version has no keyring: make a new one, and flash the cards once more.`;
    throw refusal(sentence, cause);
  }
  if (!isPair) throw refusal(`${files.key} and ${files.cert} do not belong together.`);
  if (signs && Date.parse(certificate.validTo) < Date.now()) {
    const sentence = `The leaf in ${folder} was valid until ${certificate.validTo}. Make a new one: \`make update-key KEY=${folder} ARGS=--leaf\`.`;
    throw refusal(sentence);
  }
  if (!development && certificate.subject.split('\n').includes(`CN=${NAMES.development}`))
    throw refusal(
      'The key is for development, and a release needs another one. Run `make update-key`.',
    );
  return files;
}

/**
 * Makes a root and a leaf.
 * @param {string} folder does not exist yet, and is not in the project
 * @param {{development?: boolean}} [options]
 * @returns {Promise<UpdateKey>}
 * @throws {PitvError} PITV_UPDATE_KEY
 */
export async function makeKey(folder, { development = false } = {}) {
  const path = resolve(folder);
  if (!relative(PROJECT, path).startsWith('..'))
    throw refusal(`${path} is in the project. Keep the key elsewhere.`);
  await makeDirectory(dirname(path), 0o777);
  // mkdtemp() makes a folder that only its owner may enter.
  const draft = await mkdtemp(`${path}.`);
  try {
    const name = development ? NAMES.development : NAMES.release;
    await makeRoot(join(draft, 'root-1'), `${name} root 1`);
    await makeLeaf(draft);
    await rename(draft, path).catch((cause) => {
      throw refusal(
        `${path} exists. A key is never replaced. For a new leaf, add ARGS=--leaf.`,
        cause,
      );
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return keyIn(path);
}

/**
 * Makes a new leaf, a new root, or a new leaf after the revocation of all others.
 * @param {string} folder of makeKey() @param {'leaf' | 'revoke' | 'successor'} action
 * @returns {Promise<UpdateKey>}
 * @throws {PitvError} PITV_UPDATE_KEY without a root's key
 */
export async function renewKey(folder, action) {
  await openKey(folder, { development: true });
  const roots = await listRoots(folder);
  if (action === 'successor') {
    const number = Number(roots.at(-1)?.split('-').at(-1)) + 1;
    const root = join(folder, `root-${number}`);
    const draft = `${root}.new`;
    await rm(draft, { recursive: true, force: true });
    await makeRoot(draft, `${await nameOf(roots[0])} root ${number}`, roots[0]);
    if ((await readdir(roots[0])).includes('crl.pem')) await listRevoked(draft);
    await rename(draft, root);
    await writeKeyring(folder);
    return keyIn(folder);
  }
  if (action === 'revoke') {
    for (const root of roots) await keyOf(root);
    for (const root of roots) {
      for (const name of await readdir(join(root, 'leaves')))
        await rename(join(root, 'leaves', name), join(root, 'revoked', name));
      await listRevoked(root);
    }
  }
  return makeLeaf(folder);
}

/** Returns the folders of the roots; the newest one is the last. @param {string} folder @throws {PitvError} */
async function listRoots(folder) {
  const numbers = (await readdir(folder)).flatMap((name) => /^root-(\d+)$/.exec(name)?.[1] ?? []);
  if (numbers.length === 0) throw refusal(`${folder} has no root-1. Copy the root's folder there.`);
  return numbers.sort((p, q) => Number(p) - Number(q)).map((each) => join(folder, `root-${each}`));
}

/** @param {string} root its folder @returns {Promise<string>} one of NAMES */
async function nameOf(root) {
  const { subject } = new X509Certificate(await readFile(join(root, 'cert.pem')));
  return /^CN=(.*) root \d+$/m.exec(subject)?.[1] ?? NAMES.release;
}

/**
 * Makes a root.
 * @param {string} root its folder @param {string} name @param {string} [by] the root that signs it, too
 */
async function makeRoot(root, name, by) {
  for (const kind of ['leaves', 'revoked']) await mkdir(join(root, kind), { recursive: true });
  const key = join(root, 'key.pem');
  await certify('root', name, { key, cert: join(root, 'cert.pem') });
  const chain = join(root, 'chain.pem');
  if (by) await certify('root', name, { key, cert: chain, by, isNew: false });
  else await cp(join(root, 'cert.pem'), chain);
}

/** Makes a leaf of the newest root, and the keyring. @param {string} folder @returns {Promise<UpdateKey>} */
async function makeLeaf(folder) {
  const root = /** @type {string} */ ((await listRoots(folder)).at(-1));
  const made = keyIn(folder);
  const draft = { key: `${made.key}.new`, cert: `${made.cert}.new` };
  await certify('leaf', await nameOf(root), { ...draft, by: root });
  const { serialNumber } = new X509Certificate(await readFile(draft.cert));
  await cp(draft.cert, join(root, 'leaves', `${serialNumber}.pem`));
  await rename(draft.key, made.key);
  await rename(draft.cert, made.cert);
  await cp(join(root, 'chain.pem'), made.chain);
  await writeKeyring(folder);
  return made;
}

/**
 * Makes a certificate, and its key.
 * @param {'root' | 'leaf'} kind @param {string} name
 * @param {{key: string, cert: string, by?: string, isNew?: boolean}} files by: folder of the root that signs it, by
 *   default its own key; isNew: whether the key is made
 */
async function certify(kind, name, { key, cert, by, isNew = true }) {
  const pair = isNew
    ? words`-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout ${key}`
    : ['-key', key];
  const signer = by ? words`-CA ${join(by, 'cert.pem')} -CAkey ${await keyOf(by)}` : [];
  const args = words`req -x509 -config ${CONFIG} -extensions ${kind} -days ${DAYS[kind]}
    -subj ${`/O=pitv/CN=${name}`} ${pair} ${signer} -out ${cert}`;
  await run('openssl', args);
}

/** Returns the path of a root's private key. @param {string} root @throws {PitvError} PITV_UPDATE_KEY */
async function keyOf(root) {
  const key = join(root, 'key.pem');
  await readFile(key).catch((cause) => {
    throw refusal(`${key} is not there. Copy the key of the root there for this command.`, cause);
  });
  return key;
}

/**
 * Writes the list of a root's revoked leaves. It is valid as long as the root, because RAUC looks at the time of the
 * signature, and a board without an update gets no newer list.
 * @param {string} root
 */
async function listRevoked(root) {
  const work = await mkdtemp(join(tmpdir(), 'pitv-revoked-'));
  const cert = join(root, 'cert.pem');
  const { validFrom, validTo } = new X509Certificate(await readFile(cert));
  const time = (/** @type {string} */ date) =>
    new Date(date).toISOString().replace(/\.\d+|[-:T]/g, '');
  const ca = words`ca -batch -config ${CONFIG} -cert ${resolve(cert)} -keyfile ${resolve(await keyOf(root))}`;
  try {
    await writeFile(join(work, 'index.txt'), '');
    for (const name of await readdir(join(root, 'revoked'))) {
      const revoke = ['-revoke', resolve(root, 'revoked', name)];
      await run('openssl', [...ca, ...revoke], { cwd: work });
    }
    const dates = words`-crl_lastupdate ${time(validFrom)} -crl_nextupdate ${time(validTo)}`;
    const list = ['-gencrl', ...dates, '-out', resolve(root, 'crl.pem')];
    await run('openssl', [...ca, ...list], { cwd: work });
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Writes what cards trust. @param {string} folder */
async function writeKeyring(folder) {
  const texts = [];
  for (const root of await listRoots(folder))
    for (const name of ['cert.pem', 'crl.pem'])
      texts.push(await readFile(join(root, name), 'utf8').catch(() => ''));
  const { keyring } = keyIn(folder);
  await writeFile(`${keyring}.new`, texts.join(''));
  await rename(`${keyring}.new`, keyring);
}

/** Returns a development key, the same each time, so that a root that has its certificate stays in the cache. */
export async function developmentKey() {
  const folder = join(cacheRoot(), 'development-keys');
  return makeKey(folder, { development: true }).catch(() => keyIn(folder));
}

await program(import.meta, HELP, OPTIONS, async ({ key, development, ...actions }) => {
  if (!key) throw usage('Name the folder of the key with --key.');
  const [action, ...more] = /** @type {(keyof typeof actions)[]} */ (Object.keys(actions));
  if (more.length > 0) throw usage('Give one of --leaf, --revoke and --successor.');
  const made = await (action ? renewKey(key, action) : makeKey(key, { development }));
  console.log(`${made.key}\n${made.keyring}`);
  console.log(
    'Keep a copy of the folder. Only this command needs the keys of the roots (root-1/key.pem).',
  );
});

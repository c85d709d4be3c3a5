import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { createUser, fromSeed } from '@nats-io/nkeys';
import { SWITCH, TEXT } from '../../config/flags.js';
import { PitvError, messageOf } from '../../errors.js';
import { serverConfig } from '../../fleet/server-config.js';
import { makeDirectory } from '../../storage/store.js';
import { print, replaceFile } from '../common/output.js';

export const help = `Usage: pitv fleet init HOST [HOST ...] [options]

Makes the files of a fleet: the credentials of its nodes, and for each host the configuration of a nats-server. Three
or more hosts keep matches when one of them fails; with one or two there is no majority, and none is taken over.

  --out DIR       folder of the files, default fleet; it must not exist
  --name NAME     name of the cluster, default pitv
  --store DIR     folder of JetStream on each host, default /var/lib/pitv-fleet
  --key FILE      use this seed of an nkey instead of a new one
  --server NAME   make only nats.conf, for the server of this name, in a folder that may exist
  --tls           encrypt all connections with the files server.crt, server.key and ca.crt, which you put beside each
                  configuration
`;
export const options = { out: TEXT, name: TEXT, store: TEXT, key: TEXT, server: TEXT, tls: SWITCH };
export const operands = /** @type {[number, number]} */ ([1, 100]);

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** The names are relative to the folder in which the server is started. */
const TLS = Object.freeze({ cert: 'server.crt', key: 'server.key', ca: 'ca.crt' });
const HOST = /^[A-Za-z0-9.:[\]_-]{1,255}$/;

/** @param {Record<string, any>} values @param {string[]} hosts */
export async function run(values, hosts) {
  const { out = 'fleet', name = 'pitv', store = '/var/lib/pitv-fleet', tls, key, server } = values;
  if (!NAME.test(name)) {
    throw new PitvError('PITV_USAGE', '--name must be letters, digits, _ and -, at most 64.');
  }
  const wrong = hosts.find((host) => !HOST.test(host));
  if (wrong) throw new PitvError('PITV_USAGE', `"${wrong}" is no name or address of a host.`);
  if (new Set(hosts).size < hosts.length) {
    throw new PitvError('PITV_USAGE', 'A host is named twice.');
  }
  const seed =
    key === undefined ? Buffer.from(createUser().getSeed()).toString('ascii') : await readSeed(key);
  const made = server === undefined ? mkdir(out, { mode: 0o700 }) : makeDirectory(out);
  await made.catch((cause) => {
    const sentence = `${out} cannot be made: ${messageOf(cause)}. Choose a folder that does not exist with --out.`;
    throw new PitvError('PITV_FILE_UNWRITABLE', sentence, { cause });
  });
  const user = fromSeed(Buffer.from(seed)).getPublicKey();
  const password = createHash('sha256').update(`servers ${seed}`).digest('hex').slice(0, 32);
  const write = (/** @type {string} */ file, /** @type {string} */ content) =>
    replaceFile(join(out, file), (path) => writeFile(path, content, { mode: 0o600 }));
  const configOf = (/** @type {string} */ host) =>
    serverConfig({ host, hosts, name, store, user, password, ...(tls && { tls: TLS }) });
  if (server !== undefined) {
    await write('nats.conf', configOf(server));
    return;
  }
  await write('credentials', `${seed}\n`);
  await write('pitv.txt', `fleet = ${hosts.join(' ')}\nfleet-key = ${seed}\n`);
  for (const host of hosts)
    await write(`nats-${host.replace(/[[\]:]/g, '_')}.conf`, configOf(host));
  const urls = hosts.map((host) => `${tls ? 'tls' : 'nats'}://${host}:4222`).join(',');
  const more = tls ? ` --fleet-ca ${TLS.ca}` : '';
  print(`${out}/ has the credentials of the nodes and a nats-HOST.conf for each host. On each host:

  nats-server -c nats-HOST.conf
  pitv serve --fleet ${urls} --fleet-credentials credentials${more}
`);
  const few =
    'Fewer than three hosts have no majority when one fails: its matches wait until it is back.';
  if (hosts.length < 3) print(`\n${few}\n`);
}

/** @param {string} file @throws {PitvError} PITV_FLEET_CREDENTIALS */
async function readSeed(file) {
  try {
    const seed = (await readFile(file, 'utf8')).trim();
    fromSeed(Buffer.from(seed));
    return seed;
  } catch (error) {
    const sentence = `${file} has no seed of an nkey: ${messageOf(error)}.`;
    throw new PitvError('PITV_FLEET_CREDENTIALS', sentence, { cause: error });
  }
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createUser } from '@nats-io/nkeys';
import { PitvError } from '../../errors.js';
import { serverConfig } from '../../fleet/server-config.js';

export const help = `Usage: pitv fleet init HOST [HOST ...] [options]

Makes the files of a fleet: the credentials of its nodes, and for each host the configuration of a nats-server. Three
or more hosts keep matches when one of them fails; with one or two there is no majority, and none is taken over.

  --out DIR       folder of the files, default fleet; it must not exist
  --name NAME     name of the cluster, default pitv
  --store DIR     folder of JetStream on each host, default /var/lib/pitv-fleet
  --tls           encrypt all connections with the files server.crt, server.key and ca.crt, which you put beside each
                  configuration
`;
const text = { type: /** @type {const} */ ('string') };
export const options = {
  ...{ out: text, name: text, store: text },
  tls: { type: /** @type {const} */ ('boolean') },
};
export const operands = /** @type {[number, number]} */ ([1, 100]);

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** The names are relative to the folder in which the server is started. */
const TLS = Object.freeze({ cert: 'server.crt', key: 'server.key', ca: 'ca.crt' });
const HOST = /^[A-Za-z0-9.:[\]_-]{1,255}$/;

/** @param {Record<string, any>} values @param {string[]} hosts */
export async function run(values, hosts) {
  const { out = 'fleet', name = 'pitv', store = '/var/lib/pitv-fleet', tls } = values;
  if (!NAME.test(name)) {
    throw new PitvError('PITV_USAGE', '--name must be letters, digits, _ and -, at most 64.');
  }
  const wrong = hosts.find((host) => !HOST.test(host));
  if (wrong) throw new PitvError('PITV_USAGE', `"${wrong}" is no name or address of a host.`);
  if (new Set(hosts).size < hosts.length) {
    throw new PitvError('PITV_USAGE', 'A host is named twice.');
  }
  try {
    await mkdir(out, { mode: 0o700 });
  } catch (error) {
    const sentence = `${out} cannot be made. Choose a folder that does not exist with --out.`;
    throw new PitvError('PITV_FILE_UNWRITABLE', sentence, { cause: error });
  }
  const nodes = createUser();
  const routes = createUser();
  const seed = Buffer.from(nodes.getSeed()).toString('ascii');
  const secret = { mode: 0o600 };
  await writeFile(join(out, 'credentials'), `${seed}\n`, secret);
  const password = Buffer.from(routes.getSeed()).toString('ascii').slice(2, 34);
  for (const host of hosts) {
    const config = serverConfig({
      ...{ host, hosts, name, store, user: nodes.getPublicKey(), password },
      ...(tls && { tls: TLS }),
    });
    await writeFile(join(out, `nats-${host.replace(/[[\]:]/g, '_')}.conf`), config, secret);
  }
  const urls = hosts.map((host) => `${tls ? 'tls' : 'nats'}://${host}:4222`).join(',');
  const more = tls ? ` --fleet-ca ${TLS.ca}` : '';
  process.stdout
    .write(`${out}/ has the credentials of the nodes and a nats-HOST.conf for each host. On each host:

  nats-server -c nats-HOST.conf
  pitv serve --fleet ${urls} --fleet-credentials credentials${more}
`);
  if (hosts.length < 3) {
    process.stdout.write(
      '\nFewer than three hosts have no majority when one fails: its matches wait until it is back.\n',
    );
  }
}

/** What a node shows to the servers of its fleet, and what it expects of them. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { AuthorizationError, credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';
import { PitvError, messageOf } from '../errors.js';

const SEED = /^[ \t]*(SU[A-Z2-7]{56})\s*$/m;

/**
 * Reads the credentials of the fleet.
 * @param {string} file an nkey seed, or credentials of a user; empty: none
 * @returns {Promise<import('@nats-io/transport-node').Authenticator[]>} @throws {PitvError} PITV_FLEET_CREDENTIALS
 */
export async function readCredentials(file) {
  if (!file) return [];
  const bytes = await readFile(file).catch((error) => {
    const sentence = `The credentials of the fleet cannot be read: ${messageOf(error)}.`;
    throw new PitvError('PITV_FLEET_CREDENTIALS', sentence, { cause: error });
  });
  const text = bytes.toString('utf8');
  if (text.includes('NATS USER JWT')) return [credsAuthenticator(bytes)];
  const seed = SEED.exec(text)?.[1];
  if (seed) return [nkeyAuthenticator(Buffer.from(seed))];
  throw new PitvError(
    'PITV_FLEET_CREDENTIALS',
    `${file} contains neither the seed of an nkey nor credentials of NATS. Make them with \`pitv fleet init\`.`,
  );
}

/**
 * Codes of errors that no further attempt removes. A certificate that is not valid yet may be: the clock may be wrong.
 */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|ERR_TLS_CERT_ALTNAME_INVALID|CERT_(SIGNATURE|UNTRUSTED|REJECTED))/;

/**
 * Makes the options of TLS. Without them the client uses a connection that is not encrypted, if the server has no
 * other.
 * @param {string[]} servers @param {string} caFile
 * @returns {Promise<object | undefined>} undefined: no TLS is asked for @throws {PitvError} PITV_FLEET_TLS
 */
export async function tlsOptions(servers, caFile) {
  if (!caFile && !servers.some((server) => server.startsWith('tls:'))) return undefined;
  const addresses = servers.map((server) => new URL(server).hostname.replace(/[[\]]/g, ''));
  return {
    ...(caFile && { ca: await readCertificates(caFile) }),
    // When a server is given by its address, the client passes "localhost".
    checkServerIdentity(/** @type {string} */ name, /** @type {any} */ certificate) {
      const ips = addresses.filter((address) => isIP(address));
      const names = addresses.includes(name) || ips.length === 0 ? [name] : ips;
      const errors = names.map((each) => checkServerIdentity(each, certificate));
      return errors.includes(undefined) ? undefined : errors[0];
    },
  };
}

/** @param {string} file @throws {PitvError} PITV_FLEET_TLS */
async function readCertificates(file) {
  try {
    const bytes = await readFile(file);
    new X509Certificate(bytes); // TLS would skip a file without one
    return bytes;
  } catch (error) {
    const sentence = `${file} (--fleet-ca) has no certificate: ${messageOf(error)}.`;
    throw new PitvError('PITV_FLEET_TLS', sentence, { cause: error });
  }
}

/** Explains why a connection could not be made. @param {unknown} error @param {string[]} servers */
export function explainRefusal(error, servers) {
  const list = servers.join(', ');
  let code = 'PITV_FLEET_AWAY';
  let sentence = `No server of the fleet can be used (${list})`;
  if (error instanceof AuthorizationError) {
    code = 'PITV_FLEET_CREDENTIALS';
    sentence = `The servers of the fleet (${list}) do not accept the credentials`;
  } else if (UNTRUSTED.test(String(Reflect.get(Object(error), 'code')))) {
    code = 'PITV_FLEET_TLS';
    sentence = `The certificate of a server of the fleet (${list}) is not trusted`;
  }
  return new PitvError(code, `${sentence}: ${messageOf(error)}.`, { cause: error });
}

/** TLS between a node and the servers of its fleet. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { PitvError, messageOf } from '../errors.js';

/**
 * Codes of errors that no further attempt removes. A certificate that is not valid yet may be: the clock may be wrong.
 */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|ERR_TLS_CERT_ALTNAME_INVALID|CERT_(SIGNATURE|UNTRUSTED|REJECTED))/;

/** Tells whether an error says that a certificate is not trusted. @param {unknown} error */
export const isUntrusted = (error) => UNTRUSTED.test(String(Reflect.get(Object(error), 'code')));

/**
 * Makes the options of TLS. Without them the client uses a connection that is not encrypted, if the server has no
 * other.
 * @param {string[]} servers @param {string} caFile
 * @returns {Promise<object | undefined>} undefined: no TLS is asked for
 * @throws {PitvError} PITV_FLEET_TLS
 */
export async function tlsOptions(servers, caFile) {
  if (!caFile && !servers.some((server) => server.startsWith('tls:'))) return undefined;
  const addresses = servers.map((server) => new URL(server).hostname.replace(/[[\]]/g, ''));
  return {
    ...(caFile && { ca: await readCertificates(caFile) }),
    // When a server is given by its address, the client passes "localhost".
    checkServerIdentity(/** @type {string} */ name, /** @type {any} */ certificate) {
      if (addresses.includes(name)) return checkServerIdentity(name, certificate);
      const errors = addresses
        .filter((address) => isIP(address))
        .map((address) => checkServerIdentity(address, certificate));
      return errors.includes(undefined)
        ? undefined
        : (errors[0] ?? checkServerIdentity(name, certificate));
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

/** Self-signed certificates for tests. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Makes a certificate for 127.0.0.1 with its key.
 * @param {string} folder @param {string} name of both files, without extension
 * @param {string[]} [type] options of OpenSSL for the key
 */
export async function makeCertificate(
  folder,
  name,
  type = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
) {
  const cert = join(folder, `${name}.crt`);
  const key = join(folder, `${name}.key`);
  const options = `-nodes -days 2 -subj /CN=${name} -addext subjectAltName=IP:127.0.0.1`.split(' ');
  const files = ['-keyout', key, '-out', cert];
  await promisify(execFile)('openssl', ['req', '-x509', ...type, ...options, ...files]);
  return { cert, key, pem: await readFile(cert, 'utf8') };
}

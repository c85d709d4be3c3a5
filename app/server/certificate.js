/** Reads the certificate and the key for HTTPS, and checks them before a server uses them. */
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { PitvError, messageOf } from '../errors.js';

/**
 * Versions and suites of TLS that the TV accepts. Those of TLS 1.2 have forward secrecy and authenticated encryption
 * (RFC 9325, section 4.2); OpenSSL adds the ones of TLS 1.3.
 */
const PROTOCOL = Object.freeze({
  minVersion: /** @type {const} */ ('TLSv1.2'),
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
});

/**
 * Parses a file. Errors name its option, its path and the expected content.
 * @template T
 * @param {() => T} parse @param {string} option @param {string} file @param {string} expected @returns {T}
 * @throws {PitvError} PITV_TLS_INVALID
 */
function parseFile(parse, option, file, expected) {
  try {
    return parse();
  } catch (cause) {
    const why = messageOf(cause);
    const sentence = `${option} must be ${expected}; ${file} cannot be used: ${why}.`;
    throw new PitvError('PITV_TLS_INVALID', sentence, { cause });
  }
}

/** Reads the file of an option. @param {string} option @param {string} file @throws {PitvError} PITV_TLS_FILE */
async function read(option, file) {
  try {
    return await readFile(file);
  } catch (cause) {
    const sentence = `The file of ${option} cannot be read: ${messageOf(cause)}.`;
    throw new PitvError('PITV_TLS_FILE', sentence, { cause });
  }
}

/**
 * Reads a certificate with its key.
 * @param {{tlsCert: string, tlsKey: string}} settings paths of PEM files
 * @returns {Promise<{context: import('node:tls').SecureContextOptions, validTo: string, expired: boolean}>}
 * @throws {PitvError} PITV_TLS_FILE, PITV_TLS_INVALID, PITV_TLS_MISMATCH
 */
export async function readCertificate({ tlsCert, tlsKey }) {
  const [cert, key] = await Promise.all([read('--tls-cert', tlsCert), read('--tls-key', tlsKey)]);
  const chain = 'a certificate, or a chain of them, in PEM format';
  const certificate = parseFile(() => new X509Certificate(cert), '--tls-cert', tlsCert, chain);
  const pem = 'a private key in PEM format without a passphrase';
  const privateKey = parseFile(() => createPrivateKey(key), '--tls-key', tlsKey, pem);
  if (!certificate.checkPrivateKey(privateKey)) {
    const sentence = `The key in ${tlsKey} does not belong to the certificate in ${tlsCert}. Give the key of this certificate.`;
    throw new PitvError('PITV_TLS_MISMATCH', sentence);
  }
  const context = { ...PROTOCOL, cert, key };
  const accepted = 'a certificate that OpenSSL accepts';
  parseFile(() => createSecureContext(context), '--tls-cert', tlsCert, accepted);
  const { validTo } = certificate;
  return { context, validTo, expired: Date.parse(validTo) < Date.now() };
}

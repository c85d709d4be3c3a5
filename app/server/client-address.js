/** Finds the address of a request's client. Only a trusted proxy gives it by the header X-Forwarded-For. */
import { isIP } from 'node:net';
import { require } from '../require.js';

const proxyAddress = /** @type {typeof import('proxy-addr')} */ (require('proxy-addr'));

/**
 * @typedef {object} ClientAddresses
 * @property {(request: import('node:http').IncomingMessage) => string} of returns the client's address; empty after the
 *   end of the connection
 * @property {(address: string) => boolean} isProxy tells whether the address is one of a trusted proxy
 */

/** Makes the functions. @param {string[]} trustedProxy see --trusted-proxy @returns {ClientAddresses} */
export function clientAddresses(trustedProxy) {
  const trust = proxyAddress.compile(trustedProxy);
  /** @param {string} address */
  const isProxy = (address) => trust(address, 0);
  return {
    isProxy,
    of(request) {
      const own = request.socket.remoteAddress ?? '';
      if (!isProxy(own)) return own;
      const client = proxyAddress(request, trust);
      return isIP(client) ? client : own;
    },
  };
}

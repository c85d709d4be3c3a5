/**
 * Finds the address of a request's client. Requests of a trusted proxy have it in the header X-Forwarded-For, which is
 * ignored in other requests.
 */
import { isIP } from 'node:net';
import { require } from '../require.js';

const proxyAddress = /** @type {typeof import('proxy-addr')} */ (require('proxy-addr'));

/**
 * @typedef {object} ClientAddresses
 * @property {(request: import('node:http').IncomingMessage) => string} of returns the client's address; empty after the
 *   end of the connection
 * @property {(address: string) => boolean} isProxy tells whether the address is one of a trusted proxy
 */

/**
 * Makes the functions for a list of trusted proxies.
 * @param {string[]} trustedProxy addresses, CIDR ranges and names of ranges, see --trusted-proxy
 * @returns {ClientAddresses}
 */
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

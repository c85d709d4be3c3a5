/**
 * Tells the address of the client that a request comes from. Behind a reverse proxy that is the one that the
 * proxy reports in X-Forwarded-For; from anybody else that header is ignored.
 */
import { isIP } from 'node:net';
import proxyAddress from 'proxy-addr';

/**
 * @typedef {object} ClientAddresses
 * @property {(request: import('node:http').IncomingMessage) => string} of the client's address; empty once
 *   the connection has ended
 * @property {(address: string) => boolean} isProxy whether a trusted proxy has this address
 *
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

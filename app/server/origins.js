/**
 * Finds out from where a request is: which address its client has, and whether its Host and Origin headers are allowed.
 * A page of another site must not be able to use a TV that its visitor can reach (cross-site websocket hijacking), not
 * even if its name resolves to the TV's address (DNS rebinding). The host must therefore be an address, a name that
 * only local networks use, or one from the settings, and the origin must be that host.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { require } from '../require.js';

const proxyAddress = /** @type {typeof import('proxy-addr')} */ (require('proxy-addr'));

/** Suffixes of names that cannot be registered: RFC 6762, RFC 8375, ICANN's .internal, and common router defaults. */
const LOCAL_NAME =
  /(^|\.)(localhost|local|lan|home|internal|intranet|localdomain|home\.arpa|fritz\.box)$/;

/**
 * Headers that a request has at most once (RFC 9110, section 5.3; RFC 9112, section 3.2). Node.js uses the first of
 * several or joins them, while a proxy may use the last. The parser of Node.js itself refuses a repeated length.
 */
const SINGLE = new Set(['host', 'origin', 'authorization', 'content-type']);

/**
 * Tells whether it is unclear for which host or from whom a request is: a header is repeated, or Host is missing.
 * Node.js does not check this for upgrades.
 * @param {Pick<import('node:http').IncomingMessage, 'rawHeaders' | 'httpVersion'>} request
 */
export function isAmbiguous({ rawHeaders, httpVersion }) {
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  const single = names.filter((name) => SINGLE.has(name));
  const lacksHost = httpVersion !== '1.0' && !names.includes('host');
  return lacksHost || new Set(single).size < single.length;
}

/** Parses a URL. @param {string} text also 'null', the origin of sandboxed pages @returns {URL | undefined} */
const parse = (text) => (URL.canParse(text) ? new URL(text) : undefined);

/** Returns the host name of a URL without brackets and trailing dot. @param {URL} url @returns {string} */
const nameOf = ({ hostname: name }) => name.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Returns the name in a Host header, without port. @param {string} host @returns {string} empty if it is not valid */
export function nameOfHost(host) {
  const url = parse(`http://${host}`);
  return url ? nameOf(url) : '';
}

/**
 * Makes the check for the TV's settings. Browsers send no Origin with most GET requests, so Host is checked, too.
 * @param {{publicUrl: string, allowedOrigin: string[], host: string, tlsCert: string}} settings
 * @param {() => string[]} [otherOrigins] those of other TVs, whose pages may connect
 * @returns {(headers: {origin?: string, host?: string}) => boolean} tells whether a request with these headers is
 *   allowed
 */
export function originCheck(
  { publicUrl, allowedOrigin, host: listening, tlsCert },
  otherOrigins = () => [],
) {
  const allowed = new Set([...allowedOrigin, ...(publicUrl ? [publicUrl] : [])]);
  const known = new Set([hostname().toLowerCase(), listening.toLowerCase()]);
  for (const origin of allowed) known.add(nameOf(new URL(origin)));
  /** @param {URL | undefined} url */
  const isOurs = (url) => {
    if (!url) return false;
    const name = nameOf(url);
    return isIP(name) !== 0 || !name.includes('.') || known.has(name) || LOCAL_NAME.test(name);
  };
  return ({ origin, host }) => {
    if (origin !== undefined && allowed.has(origin)) return true;
    if (origin !== undefined && otherOrigins().includes(origin)) return true;
    if (origin === undefined) return host === undefined || isOurs(parse(`http://${host}`));
    const page = parse(origin);
    // With HTTPS, a page that was loaded over plain HTTP is not one of the TV's.
    if (tlsCert && page?.protocol !== 'https:') return false;
    const requested = page && host ? parse(`${page.protocol}//${host}`) : undefined;
    return isOurs(requested) && page?.host === requested?.host;
  };
}

/**
 * @typedef {object} ClientAddresses
 * @property {(request: import('node:http').IncomingMessage) => string} of returns the client's address; empty after the
 *   end of the connection
 * @property {(address: string) => boolean} isProxy tells whether the address is one of a trusted proxy
 */

/**
 * Makes the functions that find clients. Only a trusted proxy gives an address by the header X-Forwarded-For.
 * @param {string[]} trustedProxy see --trusted-proxy @returns {ClientAddresses}
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

/**
 * Who may talk to the TV from a browser. A page of another site must not be able to use the TV
 * that its visitor can reach (cross-site websocket hijacking), not even one that points its own
 * name at the TV's address (DNS rebinding). So the host that was asked has to be an address, a name that
 * only local networks give, or one from the settings; and a page's origin has to be that host.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Ends of names that nobody can register. RFC 6762, RFC 8375, ICANN's .internal, and habit. */
const LOCAL_NAME =
  /(^|\.)(localhost|local|lan|home|internal|intranet|localdomain|home\.arpa|fritz\.box)$/;

/** @param {string} text @returns {URL | undefined} undefined for 'null' of a sandboxed page as well */
function parse(text) {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** @param {URL} url @returns {string} its host name, without brackets and the dot of the root */
const nameOf = ({ hostname: name }) => name.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/**
 * @param {{publicUrl: string, allowedOrigin: string[], host: string, tlsCert: string}} settings
 * @returns {(headers: {origin?: string, host?: string}) => boolean} whether a request with these headers may
 *   come in. Browsers send no Origin with most GET requests, so Host is checked whenever it is there.
 */
export function originCheck({ publicUrl, allowedOrigin, host: listening, tlsCert }) {
  const allowed = new Set([...allowedOrigin, ...(publicUrl ? [publicUrl] : [])]);
  const known = new Set([hostname().toLowerCase(), listening.toLowerCase()]);
  for (const origin of allowed) known.add(nameOf(new URL(origin)));
  /** @param {URL | undefined} asked */
  const isOurs = (asked) => {
    if (!asked) return false;
    const name = nameOf(asked);
    return isIP(name) !== 0 || !name.includes('.') || known.has(name) || LOCAL_NAME.test(name);
  };
  return ({ origin, host }) => {
    if (origin !== undefined && allowed.has(origin)) return true;
    if (origin === undefined) return host === undefined || isOurs(parse(`http://${host}`));
    const from = parse(origin);
    // With HTTPS, a page that came over plain HTTP is not the TV's own.
    if (tlsCert && from?.protocol !== 'https:') return false;
    const asked = from && host ? parse(`${from.protocol}//${host}`) : undefined;
    return isOurs(asked) && from?.host === asked?.host;
  };
}

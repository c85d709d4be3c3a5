/**
 * Who may talk to the TV from a browser. A page of another site must not be able to use the TV
 * that its visitor can reach (cross-site websocket hijacking), not even one that points its own
 * name at the TV's address (DNS rebinding). So a page's origin has to be the host that was asked,
 * and that host has to be an address or a name that only local networks give.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Ends of names that nobody can register. RFC 6762, RFC 8375, ICANN's .internal, and habit. */
const LOCAL_NAME =
  /(^|\.)(localhost|local|lan|home|internal|intranet|localdomain|home\.arpa|fritz\.box)$/;

/** @param {string} host as in a Host header @returns {string} without port and brackets */
function nameOf(host) {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(host);
  return (bracketed ? bracketed[1] : host.replace(/:\d+$/, '')).toLowerCase().replace(/\.$/, '');
}

/** @param {string} text @returns {URL | undefined} undefined for 'null' of a sandboxed page as well */
function parse(text) {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {{publicUrl: string, allowedOrigin: string[]}} settings
 * @returns {(headers: {origin?: string, host?: string}) => boolean} whether a request with these
 *   headers may come in; one without an Origin is from no page and is let through
 */
export function originCheck({ publicUrl, allowedOrigin }) {
  const allowed = new Set([...allowedOrigin, ...(publicUrl ? [publicUrl] : [])]);
  const own = hostname().toLowerCase();
  return ({ origin, host }) => {
    if (origin === undefined) return true;
    if (allowed.has(origin)) return true;
    const from = parse(origin);
    if (!from || !host || from.host !== parse(`${from.protocol}//${host}`)?.host) return false;
    const name = nameOf(host);
    return isIP(name) !== 0 || !name.includes('.') || name === own || LOCAL_NAME.test(name);
  };
}

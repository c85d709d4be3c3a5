/** Security headers: they restrict pages to this host, and the name of --public-url to HTTPS. */
import { isIP } from 'node:net';
import { require } from '../require.js';
import { nameOfHost } from './origins.js';

const { default: helmet } = /** @type {typeof import('helmet')} */ (require('helmet'));

/** A Host header that is safe to copy into a response header. */
const HOST = /^[A-Za-z0-9.\-_[\]:]{1,255}$/;

/** Browsers remember for this time that a name is for HTTPS only. Short, because an owner may go back to plain HTTP. */
const HTTPS_ONLY_S = 30 * 24 * 3600;

/**
 * Makes the handler that tells browsers to use HTTPS only (HSTS, RFC 6797), for the name of an https:// --public-url.
 * HSTS applies to all ports of a name and cannot be undone by plain HTTP, so no other name gets it: services without
 * TLS may use it, too. Browsers ignore it for IP addresses and with a certificate that they do not trust.
 * @param {string} publicUrl @returns {import('express').RequestHandler}
 */
export function httpsOnly(publicUrl) {
  const { protocol, host } = publicUrl ? new URL(publicUrl) : { protocol: '', host: '' };
  const name = nameOfHost(host);
  const isNamed = protocol === 'https:' && isIP(name) === 0;
  return (request, response, next) => {
    if (isNamed && request.secure && nameOfHost(request.headers.host ?? '') === name) {
      response.set('Strict-Transport-Security', `max-age=${HTTPS_ONLY_S}`);
    }
    next();
  };
}

/**
 * Makes the handler that sets the other headers.
 * @param {() => string[]} origins of other TVs, to which pages may connect
 * @returns {import('express').RequestHandler}
 */
export function securityHeaders(origins) {
  const self = "'self'";
  const files = () => origins().join(' ') || self;
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [self],
        styleSrc: [self],
        imgSrc: [self, 'data:', 'blob:', files],
        fontSrc: [self],
        mediaSrc: [self, 'data:', files], // the pad's silent video
        manifestSrc: [self],
        workerSrc: [self],
        connectSrc: [
          self,
          // For Safari before 15.4, 'self' does not include ws:.
          (request) => {
            const { host = '' } = request.headers;
            return HOST.test(host) ? `ws://${host} wss://${host}` : self;
          },
          files,
          () =>
            origins()
              .map((origin) => origin.replace(/^http/, 'ws'))
              .join(' ') || self,
        ],
        formAction: [self],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false, // see httpsOnly()
    // These have an effect with HTTPS only, and browsers warn about them with plain HTTP.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    referrerPolicy: { policy: 'no-referrer' },
  });
}

/** Security headers: they restrict pages to this host. */
import { require } from '../require.js';

const { default: helmet } = /** @type {typeof import('helmet')} */ (require('helmet'));

/** A Host header that is safe to copy into a response header. */
const HOST = /^[A-Za-z0-9.\-_[\]:]{1,255}$/;

/**
 * Makes the handler that sets the headers.
 * @param {() => string[]} fleet origins of the TVs of a fleet, to which pages may connect
 * @returns {import('express').RequestHandler}
 */
export function securityHeaders(fleet) {
  const self = "'self'";
  const files = () => fleet().join(' ') || self;
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
            fleet()
              .map((origin) => origin.replace(/^http/, 'ws'))
              .join(' ') || self,
        ],
        formAction: [self],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // These have an effect with HTTPS only, and browsers warn about them with plain HTTP.
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    referrerPolicy: { policy: 'no-referrer' },
  });
}

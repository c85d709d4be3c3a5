/** What every response says about how far a page may reach: this host and nothing else. */
import helmet from 'helmet';

/** What a Host header may look like to be copied into a header of ours. */
const HOST = /^[A-Za-z0-9.\-_[\]:]{1,255}$/;

/** @returns {import('express').RequestHandler} */
export function securityHeaders() {
  const self = "'self'";
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [self],
        styleSrc: [self],
        imgSrc: [self, 'data:', 'blob:'],
        fontSrc: [self],
        mediaSrc: [self],
        manifestSrc: [self],
        workerSrc: [self],
        connectSrc: [
          self,
          // Safari before 15.4 does not count ws: under 'self'.
          (request) => {
            const { host = '' } = request.headers;
            return HOST.test(host) ? `ws://${host} wss://${host}` : self;
          },
        ],
        formAction: [self],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // These mean something on https only, and browsers complain about them on a plain address.
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    referrerPolicy: { policy: 'no-referrer' },
  });
}

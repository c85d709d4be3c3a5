/** The package express, and handlers that several routers use. */
import { LIMITS } from '../limits/table.js';
import { require } from '../require.js';

export const express = /** @type {typeof import('express')} */ (require('express'));

/** Parses a body of JSON. Compressed ones are refused: 40 bytes can take 16 MiB to decompress. */
export const jsonBody = express.json({ limit: LIMITS.bodyBytes.value, inflate: false });

/** Makes a handler that sets Cache-Control. @param {string} value @returns {import('express').RequestHandler} */
const caching = (value) => (_request, response, next) => {
  response.set('Cache-Control', value);
  next();
};
/** Forbids caches to store responses. */
export const noStore = caching('no-store');
/** Makes browsers revalidate a cached response before its use, so that no phone shows an old page after an update. */
export const noCache = caching('no-cache');

/** The package express, and handlers that several routers use. */
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { require } from '../require.js';

export const express = /** @type {typeof import('express')} */ (require('express'));
const decoder = new TextDecoder();

const readBody = express.raw({
  type: 'application/json',
  limit: LIMITS.bodyBytes.value,
  inflate: false, // 40 bytes can take 16 MiB to decompress
});

/**
 * Parses a body of JSON in UTF-8, if there is one. express.json() would load the tables of all character sets for it.
 * @type {import('express').RequestHandler}
 */
export const jsonBody = (request, response, next) =>
  void readBody(request, response, (error) => {
    const { body, headers } = request;
    const isRead = Buffer.isBuffer(body);
    const isMissing = !headers['transfer-encoding'] && !Number(headers['content-length']);
    if (error || (isMissing && !isRead)) return next(error);
    request.body = isRead && parseJson(decoder.decode(body));
    if (request.body) return next();
    const sentence = 'The body must be a JSON object, with Content-Type: application/json.';
    next(new PitvError('PITV_REQUEST_INVALID', sentence));
  });

/** @param {string} text @returns {object | null} null: it is no object */
function parseJson(text) {
  try {
    const value = JSON.parse(text || '{}');
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Makes a handler that sets Cache-Control. @param {string} value @returns {import('express').RequestHandler} */
const caching = (value) => (_request, response, next) => {
  response.set('Cache-Control', value);
  next();
};
/** Forbids caches to store responses. */
export const noStore = caching('no-store');
/** Makes browsers revalidate a cached response before its use, so that no phone shows an old page after an update. */
export const noCache = caching('no-cache');

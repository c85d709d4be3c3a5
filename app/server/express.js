/** The package express, and handlers that several routers use. */
import { LIMITS } from '../limits/table.js';
import { require } from '../require.js';

export const express = /** @type {typeof import('express')} */ (require('express'));

/** Parses a body of JSON. */
export const jsonBody = express.json({ limit: LIMITS.bodyBytes.value });

/** Forbids caches to store responses. @type {import('express').RequestHandler} */
export const noStore = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

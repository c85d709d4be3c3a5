/** Helpers for tests of hostile clients. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Client, metricsOf } from '../support/tv.js';

/** A fast hash instead of scrypt. @type {import('../../app/admin/password.js').Hash} */
export const quickHash = async (password, { salt }) =>
  createHash('sha256').update(salt).update(password).digest();

/** Returns the number of drops of a kind. @param {import('../../app/tv.js').Tv} tv @param {string} kind */
export const dropped = async (tv, kind) =>
  (await metricsOf(tv)).get(`pitv_messages_dropped_total{kind="${kind}"}`) ?? 0;

/**
 * Tries to connect, and fails unless the TV refuses the connection.
 * @param {import('../../app/tv.js').Tv} tv @param {import('ws').ClientOptions} [options]
 * @returns {Promise<number>} the HTTP status, 0 when the TV closed the connection without a response
 */
export async function refusedStatus(tv, options) {
  try {
    const client = await Client.connect(tv, undefined, options);
    client.vanish();
  } catch (error) {
    return Number(/response: (\d+)/.exec(String(error))?.[1] ?? 0);
  }
  return assert.fail('the connection was accepted');
}

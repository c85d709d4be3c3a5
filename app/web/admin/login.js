import { byId, byIdAs, setText } from '../lib/dom.js';
import { request } from './request.js';

/** Logging in by password, and setting one with the admin token: at the first start, or when forgotten. */

const field = (/** @type {string} */ id) => byIdAs(id, HTMLInputElement);

/** @typedef {{admin: boolean, by: string | null, passwordSet: boolean}} Session */

/** @returns {Promise<Session>} */
export const session = async () => (await request('/api/admin/session')).json();

/**
 * @param {boolean} byToken ask for the token and a new password, or for the password
 * @param {boolean} passwordSet is there one at all?
 */
function show(byToken, passwordSet) {
  byId('by-password').hidden = byToken;
  byId('by-token').hidden = !byToken;
  setText(byId('first'), passwordSet ? '' : 'Welcome. This TV has no admin password yet.');
  byId('to-password').hidden = !passwordSet;
  setText(byId('login-message'), '');
  field(byToken ? 'token' : 'password').focus();
}

/**
 * @param {boolean} passwordSet
 * @param {string} [message] why one has to log in (again)
 */
export function showLogin(passwordSet, message = '') {
  byId('login').hidden = false;
  show(!passwordSet, passwordSet);
  setText(byId('login-message'), message);
}

/** @param {() => unknown} onEntered */
export function setUpLogin(onEntered) {
  submits('by-password', async () => {
    await request('/api/admin/login', { json: { password: field('password').value } });
    done();
  });
  submits('by-token', async () => {
    const password = field('new-password').value;
    if (password !== field('again').value) throw new Error('The two passwords are not the same.');
    await request('/api/admin/password', {
      json: { password },
      headers: { Authorization: `Bearer ${field('token').value.trim()}` },
    });
    done();
  });
  byId('to-token').onclick = () => show(true, true);
  byId('to-password').onclick = () => show(false, true);

  function done() {
    byId('login').hidden = true;
    onEntered();
  }
}

/** @param {() => unknown} onChanged */
export function setUpPasswordChange(onChanged) {
  submits('change-password', async () => {
    const password = field('change-new').value;
    if (password !== field('change-again').value) {
      throw new Error('The two passwords are not the same.');
    }
    await request('/api/admin/password', { json: { password, current: field('current').value } });
    setText(byId('change-message'), 'Changed. Other browsers have to log in again.');
    onChanged();
  });
}

/**
 * A form that sends nothing twice, says what went wrong, and keeps no password.
 * @param {string} id @param {() => Promise<void>} act
 */
function submits(id, act) {
  const form = byIdAs(id, HTMLFormElement);
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('[type=submit]'));
  const message = byId(id === 'change-password' ? 'change-message' : 'login-message');
  form.onsubmit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    setText(message, '');
    try {
      await act();
      form.reset();
    } catch (error) {
      setText(message, error instanceof Error ? error.message : 'The TV does not answer.');
    } finally {
      button.disabled = false;
    }
  };
}

import { byId, byIdAs, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { errorMessage, request, requestJson } from '../lib/request.js';

/** Logs in by password, and sets a new password with the admin token: at the first start, or when it is forgotten. */

const field = (/** @type {string} */ id) => byIdAs(id, HTMLInputElement);

/** @typedef {{admin: boolean, by: string | null, passwordSet: boolean}} Session */

/** @returns {Promise<Session>} */
export const session = () => requestJson('/api/admin/session');

/**
 * Shows one of the two forms.
 * @param {boolean} byToken true: the form for the token and a new password
 * @param {boolean} passwordSet whether the TV has a password
 */
function show(byToken, passwordSet) {
  byId('by-password').hidden = byToken;
  byId('by-token').hidden = !byToken;
  setText(byId('first'), passwordSet ? '' : textOf('login.first'));
  byId('to-password').hidden = !passwordSet;
  setText(byId('login-message'), '');
  field(byToken ? 'token' : 'password').focus();
}

/** Shows the login. @param {boolean} passwordSet whether the TV has a password @param {string} [message] the reason */
export function showLogin(passwordSet, message = '') {
  byId('login').hidden = false;
  show(!passwordSet, passwordSet);
  setText(byId('login-message'), message);
}

/** Sets up both forms. @param {() => unknown} onEntered */
export function setUpLogin(onEntered) {
  submits('by-password', async () => {
    await request('/api/admin/login', { json: { password: field('password').value } });
    done();
  });
  submits('by-token', async () => {
    const password = newPassword('new-password', 'again');
    const headers = { Authorization: `Bearer ${field('token').value.trim()}` };
    await request('/api/admin/password', { json: { password }, headers });
    done();
  });
  byId('to-token').onclick = () => show(true, true);
  byId('to-password').onclick = () => show(false, true);

  function done() {
    byId('login').hidden = true;
    onEntered();
  }
}

/** Returns the password of two fields, if they are the same. @param {string} id @param {string} again */
function newPassword(id, again) {
  const { value } = field(id);
  if (value !== field(again).value) throw new Error(textOf('login.differ'));
  return value;
}

/** Sets up the form that changes the password. @param {() => unknown} onChanged */
export function setUpPasswordChange(onChanged) {
  submits('change-password', async () => {
    const password = newPassword('change-new', 'change-again');
    await request('/api/admin/password', { json: { password, current: field('current').value } });
    setText(byId('change-message'), textOf('login.changed'));
    onChanged();
  });
}

/**
 * Makes a form submit once at a time, show its error, and clear its passwords afterwards.
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
      setText(message, errorMessage(error));
    } finally {
      button.disabled = false;
    }
  };
}

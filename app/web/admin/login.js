import { byId, byIdAs, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { errorMessage, request, requestJson } from '../lib/request.js';

/**
 * The form of the password: logs in by it, sets a new one with the admin token (at the first start, or when it is
 * forgotten), or changes it.
 */

const form = byIdAs('login', HTMLFormElement);
const submit = byIdAs('login-submit', HTMLButtonElement);
const field = (/** @type {string} */ id) => byIdAs(id, HTMLInputElement);

/** The texts of the first field and of the buttons, by what the form does. The last button changes that. */
const TEXTS = /** @type {const} */ ({
  password: ['login.password', 'login.enter', 'login.forgotten'],
  token: ['login.token', 'login.set', 'login.byPassword'],
  change: ['login.current', 'login.change', 'close'],
});
/** @typedef {keyof typeof TEXTS} Purpose */

/** @type {Purpose} */
let purpose = 'password';

/** @returns {Promise<{admin: boolean, by: string | null, passwordSet: boolean}>} */
export const session = () => requestJson('/api/admin/session');

/** Shows the form. @param {Purpose} shown @param {boolean} [passwordSet] whether the TV has a password */
function show(shown, passwordSet = true) {
  purpose = shown;
  form.hidden = false;
  form.setAttribute('data-purpose', purpose);
  const [secret, enter, other] = TEXTS[purpose];
  setText(byId('secret-label'), textOf(secret));
  setText(submit, textOf(enter));
  setText(byId('other'), textOf(other));
  byId('other').hidden = !passwordSet;
  setText(byId('first'), passwordSet ? '' : textOf('login.first'));
  byId('token-hint').hidden = purpose !== 'token';
  byId('new').hidden = purpose === 'password';
  for (const id of ['new-password', 'again']) field(id).disabled = purpose === 'password';
  field('secret').type = purpose === 'token' ? 'text' : 'password';
  field('secret').autocomplete = purpose === 'token' ? 'off' : 'current-password';
  setMessage('');
  field('secret').focus();
}

/** @param {string} message @param {'bad' | ''} [level] */
function setMessage(message, level = 'bad') {
  byId('login-message').className = level;
  setText(byId('login-message'), message);
}

/** Shows the login. @param {boolean} passwordSet whether the TV has a password @param {string} [message] the reason */
export function showLogin(passwordSet, message = '') {
  show(passwordSet ? 'password' : 'token', passwordSet);
  setMessage(message);
}

/** @throws {Error} */
async function send() {
  const secret = field('secret').value;
  const password = field('new-password').value;
  if (purpose === 'password') return request('/api/admin/login', { json: { password: secret } });
  if (password !== field('again').value) throw new Error(textOf('login.differ'));
  return request(
    '/api/admin/password',
    purpose === 'change'
      ? { json: { password, current: secret } }
      : { json: { password }, headers: { Authorization: `Bearer ${secret.trim()}` } },
  );
}

/** Sets up the form. @param {() => unknown} onEntered */
export function setUpLogin(onEntered) {
  byId('change').onclick = () => show('change');
  byId('other').onclick = () => {
    if (purpose === 'change') form.hidden = true;
    else show(purpose === 'token' ? 'password' : 'token');
  };
  form.onsubmit = async (event) => {
    event.preventDefault();
    submit.disabled = true;
    setMessage('');
    try {
      await send();
      form.reset();
      if (purpose === 'change') setMessage(textOf('login.changed'), '');
      else onEntered();
    } catch (error) {
      setMessage(errorMessage(error));
    } finally {
      submit.disabled = false;
    }
  };
}

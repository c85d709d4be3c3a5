import '../lib/modern.js';
import { button, byId, byIdAs, h } from '../lib/dom.js';
import { text as textOf, translatePage } from '../lib/language.js';
import { problemText } from '../lib/reports.js';
import { RequestError, request, requestJson } from '../lib/request.js';

/** The page of the access point: asks for the Wi-Fi that the TV joins. */

const POLL_MS = 1000;
/** The system checks what was entered at once, and closes the network some seconds later. */
const POLLS = 10;

const form = byIdAs('form', HTMLFormElement);
const message = byId('message');
const name = byIdAs('name', HTMLInputElement);
const password = byIdAs('password', HTMLInputElement);
const country = byIdAs('country', HTMLInputElement);

/** @param {string} sentence empty: hides the message */
function showMessage(sentence) {
  message.textContent = sentence;
  message.hidden = sentence === '';
}

/** Shows a problem. Its settings are the fields of this page. @param {string} problem */
function showProblem(problem) {
  const field = (
    /** @type {string} */ _setting,
    /** @type {'name' | 'password' | 'country'} */ key,
  ) => textOf(`chooseWifi.${key}`).split(/ ?[(:]/, 1)[0];
  showMessage(problemText(problem).replace(/wifi-(name|password|country)/g, field));
}

/** @returns {Promise<{networks: import('../../system/wifi-setup.js').Network[], problem: string}>} */
const readState = () => requestJson('/api/wifi');

/** Marks the network with the entered name. */
function markNetwork() {
  for (const row of document.querySelectorAll('#networks button')) {
    row.setAttribute('aria-pressed', String(row.firstChild?.textContent === name.value));
  }
}

/** @param {import('../../system/wifi-setup.js').Network} network */
function networkRow({ name: each, secured }) {
  const choose = () => {
    name.value = each;
    markNetwork();
    password.focus();
  };
  const open = !secured && h('small.muted', textOf('chooseWifi.open'));
  return h('li', button([h('span', each), open], choose, 'line broken'));
}

/** Shows that the TV joins the network, unless the system refuses what was entered. */
async function follow() {
  byId('joining-title').textContent = textOf('chooseWifi.joining.title', { name: name.value });
  byId('joining').hidden = false;
  form.hidden = true;
  for (let poll = 0; poll < POLLS; poll++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const state = await readState().catch(() => undefined);
    if (!state) return; // the network is closed
    if (state.problem === '') continue;
    byId('joining').hidden = true;
    form.hidden = false;
    showProblem(state.problem);
    return;
  }
}

async function submit() {
  showMessage('');
  const json = { name: name.value, password: password.value, country: country.value.trim() };
  await request('/api/wifi', { json });
  await follow();
}

/** @param {unknown} error */
function showError(error) {
  showMessage(
    error instanceof RequestError && error.code ? error.message : textOf('chooseWifi.failed'),
  );
}

translatePage();
// The country of the phone is probably that of the TV.
country.value = /-([A-Z]{2})$/.exec(navigator.language)?.[1] ?? '';
name.addEventListener('input', markNetwork);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  submit().catch(showError);
});
readState().then(({ networks, problem }) => {
  byId('networks').append(...networks.map(networkRow));
  if (problem) showProblem(problem);
}, showError);

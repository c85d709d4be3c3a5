/** Helpers of the pages: elements, short messages, items of the local storage, files. */

const TOAST_MS = 4500;
const MAX_TOASTS = 3;

/** Empty ones are left out. @typedef {Node | string | number | null | undefined | false | Child[]} Child */

/**
 * Creates an element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K | `${K}.${string}`} selector tag and classes, such as li.chip
 * @param {...(Child | Record<string, any>)} parts children, and properties: `class`, `color` (of the player), `role`
 *   and names with a dash (attributes); others are set as they are, for example `hidden` and `onclick`
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(selector, ...parts) {
  const [tag, ...classes] = selector.split('.');
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(' ');
  add(element, parts);
  return /** @type {any} */ (element);
}

/** Replaces the content of an element. @param {Element} element @param {...Child} children */
export function fill(element, ...children) {
  element.textContent = '';
  add(element, children);
}

/**
 * Replaces the content of an element if its state has changed: no button is replaced while it is being pressed. The
 * element with the focus keeps it by its id.
 * @param {Element} element @param {unknown} state a JSON value @param {() => Child} make
 * @returns {boolean} whether it was replaced
 */
export function redraw(element, state, make) {
  const text = String(JSON.stringify(state));
  if (element.getAttribute('data-state') === text) return false;
  element.setAttribute('data-state', text);
  const focused = document.activeElement?.id;
  fill(element, make());
  if (focused) focus(document.getElementById(focused));
  return true;
}

/** Shows texts in a list, which is hidden without any. @param {HTMLElement} list @param {string[]} texts */
export function fillList(list, texts) {
  fill(
    list,
    texts.map((text) => h('li', text)),
  );
  list.hidden = texts.length === 0;
}

/** Focuses an element, and does not scroll to it. @param {Element | null | undefined} element */
export function focus(element) {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
}

/** @param {Element} element @param {unknown[]} parts see h() */
function add(element, parts) {
  for (const part of parts) {
    if (Array.isArray(part)) add(element, part);
    else if (part instanceof Node) element.append(part);
    else if (part && typeof part === 'object')
      setProperties(/** @type {HTMLElement} */ (element), part);
    else if (part || part === 0) element.append(String(part));
  }
}

/** @param {HTMLElement} element @param {object} properties see h() */
function setProperties(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === 'class') element.className = value;
    else if (name === 'color') element.style.setProperty('--player', value);
    else if (name.includes('-') || name === 'role') element.setAttribute(name, String(value));
    else Reflect.set(element, name, value);
  }
}

/**
 * Creates a button.
 * @param {Child} text @param {(event: MouseEvent) => unknown} onclick @param {string} [look] its class
 * @param {Record<string, any>} [props] more of it, see h()
 */
export const button = (text, onclick, look, props) =>
  h('button', { type: 'button', onclick, class: look, ...props }, text);

/** Finds an element. @param {string} id @returns {HTMLElement} @throws {Error} if the page has no such element */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element #${id}.`);
  return element;
}

/** Finds an element of a type. @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
export function byIdAs(id, type) {
  const element = byId(id);
  if (!(element instanceof type)) throw new Error(`The element #${id} is not a ${type.name}.`);
  return element;
}

/**
 * Listens to the pointers on an element.
 * @param {HTMLElement} element
 * @param {Partial<Record<'down' | 'move' | 'up', (event: PointerEvent) => unknown>>} handlers
 */
export function listen(element, { down, move, up }) {
  element.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    down?.(event);
  });
  if (move) element.addEventListener('pointermove', move);
  for (const type of /** @type {const} */ (['pointerup', 'pointercancel', 'lostpointercapture'])) {
    if (up) element.addEventListener(type, up);
  }
  // In Safari touch-action does not prevent the magnifying glass and the swipe back.
  element.addEventListener('touchstart', (event) => event.preventDefault(), { passive: false });
}

/** Creates an element of SVG. @param {string} name @param {Record<string, string | number>} attributes */
export function svg(name, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/**
 * Parses an SVG image of the server as XML, so that nothing in it can run, and removes its scripts and
 * styles.
 * @param {string} text
 * @returns {SVGElement | null} null if it is not an SVG image
 */
export function parseSvg(text) {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  if (parsed.localName !== 'svg') return null;
  for (const element of parsed.querySelectorAll('script, foreignObject, style')) element.remove();
  return /** @type {SVGElement} */ (/** @type {unknown} */ (document.importNode(parsed, true)));
}

/** Sets an element's text if it differs, so that repeated updates change nothing on the page.
 * @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Items that could not be written: the page knows them until it is closed. @type {Map<string, string | null>} */
const unwritten = new Map();

/** @typedef {'localStorage' | 'sessionStorage'} StorageName sessionStorage: of the tab, until it is closed */

/**
 * Reads an item of the storage.
 * @param {string} key @param {StorageName} [storage] @returns {string | null} null also if storage is not allowed
 */
export function loadItem(key, storage = 'localStorage') {
  try {
    return unwritten.get(key) ?? globalThis[storage].getItem(key);
  } catch {
    return null;
  }
}

/**
 * Writes an item of the storage.
 * @param {string} key @param {string | null} value null removes the item @param {StorageName} [storage]
 */
export function saveItem(key, value, storage = 'localStorage') {
  try {
    if (value === null) globalThis[storage].removeItem(key);
    else globalThis[storage].setItem(key, value);
    unwritten.delete(key);
  } catch {
    unwritten.set(key, value); // storage is full, or not allowed, for example in private mode
  }
}

/**
 * Shows a short message at the bottom of the page. Screen readers read it out.
 * @param {string} message
 * @param {string} [level] 'info' | 'warn' | 'error'
 * @returns {HTMLElement} to take it away before its time
 */
export function toast(message, level = 'info') {
  let list = document.querySelector('.toasts');
  if (!list) {
    list = h('div.toasts', { role: 'status', 'aria-live': 'polite' });
    document.body.append(list);
  }
  const element = h('p.toast', { 'data-level': level }, message);
  list.append(element);
  while (list.children.length > MAX_TOASTS) list.firstElementChild?.remove();
  setTimeout(() => element.remove(), TOAST_MS);
  return element;
}

/** Tells whether the page may share a file; browsers allow it with HTTPS only. @param {File} file */
export const sharesFiles = (file) => navigator.canShare?.({ files: [file] }) === true;

/** Shares a file, or downloads it where the page may not share it. @param {File} file */
export async function saveFile(file) {
  if (sharesFiles(file)) return navigator.share({ files: [file] }).catch(() => {}); // cancelled by the player
  const url = URL.createObjectURL(file);
  h('a', { href: url, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // some browsers ask the player first
}

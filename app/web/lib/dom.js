/** Helpers of the pages: elements, short messages, items of the local storage, files. */

const TOAST_MS = 4500;
const MAX_TOASTS = 3;

/**
 * Creates an element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [props] `class`, `text`, `color` (of the player), `role` and names with a
 *   dash (attributes); others are set as properties, for example `hidden` and `onclick`
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (name === 'class') element.className = value;
    else if (name === 'text') element.textContent = value;
    else if (name === 'color') element.style.setProperty('--player', value);
    else if (name.includes('-') || name === 'role') element.setAttribute(name, String(value));
    else Reflect.set(element, name, value);
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/**
 * Creates a button.
 * @param {string} text @param {(event: MouseEvent) => unknown} onclick @param {string} [look] its class
 * @param {Record<string, any>} [props] more of it, see h()
 */
export const button = (text, onclick, look, props) =>
  h('button', { type: 'button', text, onclick, class: look, ...props });

/**
 * Finds an element.
 * @param {string} id
 * @returns {HTMLElement}
 * @throws {Error} if the page has no such element
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element #${id}.`);
  return element;
}

/**
 * Finds an element of a type.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
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

/**
 * Parses an SVG image of the server as XML, so that nothing in it can run, and removes its scripts and
 * styles.
 * @param {string} text
 * @returns {SVGElement | null} null if it is not an SVG image
 */
export function svgElement(text) {
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

/**
 * Reads an item of the local storage.
 * @param {string} key @returns {string | null} null also if storage is not allowed
 */
export function loadItem(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Writes an item of the local storage. @param {string} key @param {string | null} value null removes the item */
export function saveItem(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage is not allowed, for example in private mode: the item is not saved.
  }
}

/**
 * Shows a short message at the bottom of the page. Screen readers read it out.
 * @param {string} message
 * @param {string} [level] 'info' | 'warn' | 'error'
 */
export function toast(message, level = 'info') {
  let list = document.querySelector('.toasts');
  if (!list) {
    list = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' });
    document.body.append(list);
  }
  const element = h('p', { class: 'toast', text: message, 'data-level': level });
  list.append(element);
  while (list.children.length > MAX_TOASTS) list.firstElementChild?.remove();
  setTimeout(() => element.remove(), TOAST_MS);
}

/** Tells whether the page may share a file; browsers allow it with HTTPS only. @param {File} file */
export const sharesFiles = (file) => navigator.canShare?.({ files: [file] }) === true;

/** Shares a file, or downloads it where the page may not share it. @param {File} file */
export async function saveFile(file) {
  if (sharesFiles(file)) return navigator.share({ files: [file] }).catch(() => {}); // cancelled by the player
  const url = URL.createObjectURL(file);
  h('a', { href: url, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // some browsers ask the player first
  return undefined;
}

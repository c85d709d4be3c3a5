/** The few DOM helpers the pages share. */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [props] `class`, `text`, `onclick` and friends; a name with a dash is
 *   set as an attribute, `hidden`, `disabled` and such as properties
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
 * @param {string} id
 * @returns {HTMLElement}
 * @throws {Error} when the page has no such element: the page and its script do not belong together
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element;
}

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byIdAs(id, type) {
  const element = byId(id);
  if (!(element instanceof type)) throw new Error(`#${id} is not a ${type.name}`);
  return element;
}

/**
 * Parses the server's SVG as XML, so that nothing in it can run, and keeps only its drawing.
 * @param {string} text
 * @returns {SVGElement | null} null when it is not an SVG image
 */
export function svgElement(text) {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  if (parsed.localName !== 'svg') return null;
  for (const element of parsed.querySelectorAll('script, foreignObject, style')) element.remove();
  return /** @type {SVGElement} */ (/** @type {unknown} */ (document.importNode(parsed, true)));
}

/** Sets a text only when it differs: a page that is drawn 60 times a second stays still.
 * @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {string} key @returns {string | null} null too where storage is forbidden */
export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string | null} value null forgets it */
export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Private mode: the page works, it only forgets.
  }
}

/**
 * The language of the page. The parameter ?lang= selects it, then the last choice on this device, then the TV's
 * setting, then the browser's languages. Outside a browser it is English.
 */
import { LANGUAGES } from '../languages/index.js';
import { loadItem, saveItem } from './dom.js';

const ITEM = 'pitv.language';
const DEFAULT = 'en';

/**
 * @typedef {keyof typeof LANGUAGES} LanguageCode
 * @typedef {keyof typeof LANGUAGES['en']['texts']} TextKey
 * @typedef {{ordinal?: boolean, one?: string, two?: string, few?: string, many?: string, other: string}} Forms
 * @typedef {Record<string, string | number>} Values
 * @typedef {object} Language
 * @property {string} name its own name
 * @property {Record<TextKey, string | Forms>} texts
 * @property {Record<string, string>} errors texts of the TV's errors, by code
 * @property {Record<string, string>} problems texts of the TV's problems, by the English sentence; {1}, {2} … are parts
 *   that differ
 */

/**
 * Chooses a language.
 * @param {readonly (string | null | undefined)[]} wanted language tags such as ko-KR, best first
 * @returns {LanguageCode} the first one that the pages have, otherwise English
 */
export function chooseLanguage(wanted) {
  for (const tag of wanted) {
    const code = (tag ?? '').toLowerCase().split('-')[0];
    const known = Object.keys(LANGUAGES).find((each) => each === code);
    if (known) return /** @type {LanguageCode} */ (known);
  }
  return DEFAULT;
}

/** Formatters and rules, which take long to make, by language and kind. @type {Map<string, any>} */
const made = new Map();

/**
 * Returns what was made for a key before, or makes it.
 * @template T @param {string} key @param {() => T} make @returns {T}
 */
function makeOnce(key, make) {
  if (!made.has(key)) made.set(key, make());
  return made.get(key);
}

/**
 * Returns a text with its values.
 * @param {LanguageCode} code of the language
 * @param {TextKey} key
 * @param {Values} [values] numbers are formatted; `count` selects the plural form
 * @returns {string}
 */
export function formatText(code, key, values = {}) {
  const text = /** @type {Language} */ (LANGUAGES[code]).texts[key];
  const template = typeof text === 'string' ? text : chooseForm(code, text, Number(values.count));
  return template.replace(/\{(\w+)\}/g, (_placeholder, name) => {
    const value = values[name];
    return typeof value === 'number' ? formatNumber(code, value) : String(value);
  });
}

/** @param {string} code @param {number} value */
const formatNumber = (code, value) =>
  makeOnce(code, () => new Intl.NumberFormat(code)).format(value);

/** @param {string} code @param {Forms} forms @param {number} count @returns {string} */
function chooseForm(code, { ordinal, ...forms }, count) {
  const type = ordinal ? 'ordinal' : 'cardinal';
  const rules = makeOnce(`${code} ${type}`, () => new Intl.PluralRules(code, { type }));
  return /** @type {Record<string, string>} */ (forms)[rules.select(count)] ?? forms.other;
}

/** @returns {LanguageCode} */
function findLanguage() {
  const setting = globalThis.document?.documentElement.getAttribute('data-language');
  if (typeof location === 'undefined') return chooseLanguage([setting]);
  const parameter = new URLSearchParams(location.search).get('lang');
  const code = chooseLanguage([parameter, loadItem(ITEM), setting, ...navigator.languages]);
  if (parameter === code) saveItem(ITEM, code);
  return code;
}

/** The language of this page. */
export const language = findLanguage();

/** Returns a text in the page's language. @param {TextKey} key @param {Values} [values] */
export const text = (key, values) => formatText(language, key, values);

/** Tells whether the pages have a text. @param {string} key @returns {key is TextKey} */
export const hasText = (key) => key in LANGUAGES[DEFAULT].texts;

/** Formats a time. @param {number} seconds @returns {string} 7, 42, 1:05 */
export function clockText(seconds) {
  const whole = Math.ceil(seconds);
  if (whole < 60) return String(whole);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** Replaces the English texts of the page's HTML, and sets up its buttons that switch the language. */
export function translatePage() {
  document.documentElement.lang = language;
  /** @param {string} name of the attribute with the key @param {(element: Element, value: string) => void} set */
  const translate = (name, set) => {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      set(element, text(/** @type {TextKey} */ (element.getAttribute(name))));
    }
  };
  translate('data-text', (element, value) => (element.textContent = value));
  translate('data-label', (element, value) => element.setAttribute('aria-label', value));
  translate('data-placeholder', (element, value) => element.setAttribute('placeholder', value));
  // The button is in the language that it switches to, for people who cannot read this one.
  const next = nextLanguage();
  for (const button of document.querySelectorAll('button.language')) {
    button.setAttribute('lang', next);
    button.textContent = formatText(next, 'language.switch', { name: LANGUAGES[next].name });
    button.addEventListener('click', switchLanguage);
  }
}

/** @returns {LanguageCode} */
function nextLanguage() {
  const codes = /** @type {LanguageCode[]} */ (Object.keys(LANGUAGES));
  return codes[(codes.indexOf(language) + 1) % codes.length];
}

/** Switches to the next language: reloads the page, which saves the choice if it may. */
function switchLanguage() {
  const url = new URL(location.href);
  url.searchParams.set('lang', nextLanguage());
  history.replaceState(history.state, '', url.href);
  location.reload();
}

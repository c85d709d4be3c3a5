/** Reads the texts of a package in other languages: JSON files in its folder locales/, such as locales/ko.json. */
import { join } from 'node:path';
import { LIMITS } from '../limits/table.js';
import { PitvError, messageOf } from '../errors.js';
import { listNames, parseJson, readRegularFile } from '../storage/saved-files.js';
import { invalid } from './manifest.js';

const LOCALES = 'locales';
/** A BCP 47 code. */
const NAME = /^([a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*)\.json$/;

/** Returns the path of the texts in a language. @param {string} language */
export const localeFile = (language) => `${LOCALES}/${language}.json`;

/**
 * Reads all texts. What they contain is not checked here.
 * @param {string} folder of the package
 * @returns {Promise<Record<string, unknown>>} by language
 * @throws {PitvError} PITV_PACKAGE_INVALID
 */
export async function readLocales(folder) {
  const { locales, localeBytes } = LIMITS;
  const names = await listNames(join(folder, LOCALES), /./);
  if (names.length > locales.value) {
    throw invalid(`${LOCALES}/ has ${names.length} files; ${locales.value} are allowed.`);
  }
  /** @type {Record<string, unknown>} */
  const texts = {};
  for (const name of names) {
    const language = NAME.exec(name)?.[1];
    if (language === undefined) {
      const sentence = `${LOCALES}/ may only contain files such as ko.json, not ${JSON.stringify(name)}.`;
      throw invalid(sentence);
    }
    try {
      const path = join(folder, LOCALES, name);
      texts[language] = parseJson(await readRegularFile(path, localeBytes.value));
    } catch (error) {
      if (!(error instanceof PitvError)) throw error;
      throw invalid(`${LOCALES}/${name} cannot be used: ${messageOf(error)}`);
    }
  }
  return texts;
}

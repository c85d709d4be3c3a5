/** Lists the languages of the pages, by their BCP 47 code. To add one, add its file and its line here. */
import en from './en.js';
import ko from './ko.js';

export const LANGUAGES = Object.freeze({ en, ko });

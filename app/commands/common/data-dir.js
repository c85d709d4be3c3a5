/** The data directory of commands that change it while a TV may be running. */
import { TEXT, variableName } from '../../config/flags.js';
import { parseSettings } from '../../config/parse.js';
import { PitvError } from '../../errors.js';

export const DATA_DIR = Object.freeze({ 'data-dir': TEXT });
export const DATA_DIR_HELP = `  --data-dir DIR  data directory of the TV; default as for pitv serve, environment ${variableName('dataDir')}
`;

/** Returns the path of the data directory. @param {Record<string, any>} values of the flags @returns {string} */
export const dataDirOf = ({ 'data-dir': given }) =>
  parseSettings(given === undefined ? [] : ['--data-dir', given]).dataDir;

/** @param {string} code @param {string} sentence what is not possible @param {string} problem */
export const notPermitted = (code, sentence, problem) =>
  new PitvError(code, `${sentence}: ${problem}. Run this command as the user that runs the TV.`);

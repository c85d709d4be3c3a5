/** Parses the settings of `pitv serve`. A flag takes precedence over the environment variable. */
import { PitvError } from '../errors.js';
import { TEXT, flagName, parseArguments, variableName } from './flags.js';
import { SETTINGS } from './settings.js';
import { parseValue } from './values.js';

/** @typedef {import('./settings.js').Settings} Settings */

const settings = /** @type {[string, import('./settings.js').Setting<unknown>][]} */ (
  Object.entries(SETTINGS)
);

/**
 * Parses all settings, or none if there is --help.
 * @param {string[]} argv flags of `pitv serve` @param {Record<string, string | undefined>} [env]
 * @returns {Settings & {help: boolean}} @throws {PitvError} PITV_USAGE
 */
export function parseSettings(argv, env = process.env) {
  const options = Object.fromEntries(settings.map(([name]) => [flagName(name), TEXT]));
  const { values: flags } = parseArguments(argv, options, 'pitv serve');
  const values = (flags.help ? [] : settings).map(([name, setting]) => {
    const flag = flagName(name);
    const variable = variableName(name);
    const isFromVariable = flags[flag] === undefined && env[variable] !== undefined;
    const text = flags[flag] ?? env[variable] ?? setting.defaultValue;
    return [name, parseValue(isFromVariable ? variable : `--${flag}`, setting, text)];
  });
  const parsed = /** @type {Settings} */ (Object.fromEntries(values));
  if (!parsed.tlsCert !== !parsed.tlsKey) {
    const [given, missing] = parsed.tlsCert ? ['cert', 'key'] : ['key', 'cert'];
    throw new PitvError('PITV_USAGE', `--tls-${given} also needs --tls-${missing}.`);
  }
  return { ...parsed, help: flags.help === true };
}

/** Returns the output of `pitv serve --help`. @returns {string} */
export function serveHelp() {
  const lines = settings.flatMap(([name, { value, help, defaultValue, range }]) => [
    `  --${flagName(name)} ${value}`,
    `      ${help}`,
    `      default ${defaultValue || '(empty)'}; ${range}; environment ${variableName(name)}`,
  ]);
  return ['Usage: pitv serve [options]', '', ...lines, ''].join('\n');
}

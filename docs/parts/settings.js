/** The table of settings in operations.md. */
import { flagName, variableName } from '../../app/config/flags.js';
import { SETTINGS } from '../../app/config/settings.js';
import { markdownTable } from '../../bench/report/markdown.js';

/** Defaults that depend on the machine. @type {Record<string, string>} */
const DESCRIBED = {
  dataDir:
    '`pitv` in `$XDG_STATE_HOME`, else `/var/lib/pitv` for root, `~/.local/state/pitv` for others',
};

/** @param {string} text @returns {string} text that can stand in a cell */
const cell = (text) => text.replaceAll('|', '\\|');

/**
 * Formats the settings as a Markdown table.
 * @returns {string}
 */
export function settings() {
  const rows = Object.entries(SETTINGS).map(([name, setting]) => {
    const fallback = DESCRIBED[name] ?? (setting.defaultValue && `\`${setting.defaultValue}\``);
    const names = `\`--${flagName(name)}\`, \`${variableName(name)}\``;
    return [names, cell(setting.range), fallback, cell(setting.help)];
  });
  return markdownTable(['Option, environment variable', 'Values', 'Default', 'Meaning'], rows);
}

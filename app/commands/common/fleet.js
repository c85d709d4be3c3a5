/** What the subcommands of `pitv fleet` have in common: their options, and the connection to the fleet. */
import { parseSettings } from '../../config/parse.js';
import { PitvError } from '../../errors.js';

const text = { type: /** @type {const} */ ('string') };

export const CONNECT = Object.freeze({
  fleet: text,
  'fleet-credentials': text,
  'fleet-ca': text,
});
export const CONNECT_HELP = `  --fleet URLS    NATS servers of the fleet; environment variable PITV_FLEET
  --fleet-credentials FILE
                  environment variable PITV_FLEET_CREDENTIALS
  --fleet-ca FILE environment variable PITV_FLEET_CA
`;

/**
 * Connects to a fleet without joining it.
 * @param {Record<string, any>} values options of the command
 * @returns {Promise<import('../../fleet/connection.js').FleetConnection>}
 * @throws {PitvError} PITV_USAGE, PITV_FLEET_AWAY, PITV_FLEET_CREDENTIALS
 */
export async function connectToFleet(values) {
  const flags = Object.keys(CONNECT).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, values[name]],
  );
  const { fleet, fleetCredentials, fleetCa } = parseSettings(flags);
  if (fleet.length === 0) {
    throw new PitvError('PITV_USAGE', 'Which fleet? Give its servers with --fleet or PITV_FLEET.');
  }
  const [{ FleetConnection }, { silentLog }] = await Promise.all([
    import('../../fleet/connection.js'),
    import('../../log.js'),
  ]);
  return FleetConnection.open({
    servers: fleet,
    credentialsFile: fleetCredentials,
    caFile: fleetCa,
    node: 'cli',
    log: silentLog,
  });
}

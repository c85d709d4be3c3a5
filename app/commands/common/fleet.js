/** What the subcommands of `pitv fleet` have in common: their options, and the connection to the fleet. */
import { TEXT } from '../../config/flags.js';
import { parseSettings } from '../../config/parse.js';
import { PitvError } from '../../errors.js';

export const CONNECT = Object.freeze({ fleet: TEXT, 'fleet-credentials': TEXT, 'fleet-ca': TEXT });
export const CONNECT_HELP = `  --fleet URLS    NATS servers of the fleet; environment variable PITV_FLEET
  --fleet-credentials FILE
                  environment variable PITV_FLEET_CREDENTIALS
  --fleet-ca FILE environment variable PITV_FLEET_CA
`;

/**
 * Connects to a fleet without joining it.
 * @template T
 * @param {Record<string, any>} values options of the command
 * @param {(connection: import('../../fleet/connection.js').FleetConnection) => Promise<T>} action
 * @returns {Promise<T>} @throws {PitvError} PITV_USAGE, PITV_FLEET_AWAY, PITV_FLEET_CREDENTIALS
 */
export async function withFleet(values, action) {
  const flags = Object.keys(CONNECT).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, values[name]],
  );
  const { fleet, fleetCredentials, fleetCa } = parseSettings(flags);
  if (fleet.length === 0) {
    throw new PitvError('PITV_USAGE', 'Which fleet? Give its servers with --fleet or PITV_FLEET.');
  }
  const [{ FleetConnection, explainJetStream }, { silentLog }] = await Promise.all([
    import('../../fleet/connection.js'),
    import('../../log.js'),
  ]);
  const connection = await FleetConnection.open({
    servers: fleet,
    credentialsFile: fleetCredentials,
    caFile: fleetCa,
    node: 'cli',
    log: silentLog,
  });
  try {
    return await action(connection);
  } catch (error) {
    throw explainJetStream(error);
  } finally {
    await connection.close();
  }
}

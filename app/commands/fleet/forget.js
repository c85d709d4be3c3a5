import { PitvError } from '../../errors.js';
import { forgetMember, openMembers } from '../../fleet/members.js';
import { isThere } from '../../fleet/requests.js';
import { CONNECT, CONNECT_HELP, withFleet } from '../common/fleet.js';
import { print } from '../common/output.js';

export const help = `Usage: pitv fleet forget NODE [options]

Removes a node that is gone for good. Until then it counts when the others ask whether they are most of the fleet. A
node that is forgotten and starts again is added again.

${CONNECT_HELP}`;
export const options = { ...CONNECT };
export const operands = /** @type {[number, number]} */ ([1, 1]);

/** @param {Record<string, any>} values @param {string[]} operands */
export async function run(values, [node]) {
  await withFleet(values, async (connection) => {
    if (await isThere(connection, node)) {
      throw new PitvError('PITV_FLEET_NAME', `The node "${node}" runs. Stop its TV first.`);
    }
    await forgetMember(await openMembers(connection), node);
  });
  print(`${node} no longer belongs to the fleet.\n`);
}

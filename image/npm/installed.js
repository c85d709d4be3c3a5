/** Counts what npm installs for a package, from the lock file of the project. */

/** @typedef {{os: string, cpu: string, libc: string}} Machine */

/**
 * Lists the packages that npm installs.
 * @param {{packages: Record<string, any>}} lock package-lock.json
 * @param {{dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>}} manifest
 * @param {Machine} machine
 * @returns {string[]} their paths in the lock file, without the package itself
 */
export function listInstalled({ packages }, manifest, machine) {
  /** @type {Set<string>} */
  const paths = new Set();
  /** @param {typeof manifest} from @param {string} at path of the package that needs them */
  const visit = ({ dependencies, optionalDependencies }, at) => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = findPackage(packages, name, at);
      if (path === undefined || paths.has(path) || !fits(packages[path], machine)) continue;
      paths.add(path);
      visit(packages[path], path);
    }
  };
  visit(manifest, '');
  return [...paths];
}

/**
 * Finds a package as Node.js does: beside the one that needs it, then further up.
 * @param {Record<string, unknown>} packages @param {string} name @param {string} at
 * @returns {string | undefined}
 */
function findPackage(packages, name, at) {
  const path = `${at}${at && '/'}node_modules/${name}`;
  if (packages[path]) return path;
  if (at === '') return undefined;
  const above = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')));
  return findPackage(packages, name, above);
}

/** Is a package for this machine? @param {Partial<Record<keyof Machine, string[]>>} about @param {Machine} machine */
const fits = (about, machine) =>
  /** @type {(keyof Machine)[]} */ (Object.keys(machine)).every(
    (key) => about[key]?.includes(machine[key]) ?? true,
  );

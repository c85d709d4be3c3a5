/** A registry of npm packages that serves what is in the project's node_modules, so that tests need no network. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { create } from 'tar';
import { root as PROJECT } from '../../support/test-files.js';

const TARBALL = '/-/';
/** @param {string} path from the project */
const readJson = (path) => JSON.parse(readFileSync(join(PROJECT, path), 'utf8'));

export class Registry {
  #server = createServer((request, response) => void this.#answer(request.url ?? '', response));
  /** @type {Map<string, Promise<Buffer>>} path of a package, from the project -> its tarball */
  #tarballs = new Map();
  /** Without the packages for other processors. */
  #paths = Object.keys(readJson('package-lock.json').packages).filter(
    (path) => path !== '' && existsSync(join(PROJECT, path, 'package.json')),
  );
  /** Number of requests that were answered. */
  requests = 0;

  get url() {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${port}`;
  }

  /** Listens on a free port of this machine. */
  async open() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  /** Ends all connections. Idempotent. */
  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** @param {string} url @param {import('node:http').ServerResponse} response */
  async #answer(url, response) {
    this.requests++;
    const path = decodeURIComponent(url.slice(1));
    if (url.startsWith(TARBALL))
      return response.end(await this.#pack(path.slice(2, -'.tgz'.length)));
    const versions = await this.#versions(path);
    const latest = Object.keys(versions).at(-1);
    if (!latest) return response.writeHead(404).end('{}');
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ name: path, 'dist-tags': { latest }, versions }));
  }

  /** Reads the versions of a package in node_modules. @param {string} name */
  async #versions(name) {
    /** @type {Record<string, object>} */
    const versions = {};
    for (const path of this.#paths) {
      if (!`/${path}`.endsWith(`/node_modules/${name}`)) continue;
      const manifest = readJson(`${path}/package.json`);
      const tarball = `${this.url}${TARBALL}${encodeURIComponent(path)}.tgz`;
      const bytes = await this.#pack(path);
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      versions[manifest.version] = { ...manifest, dist: { tarball, integrity } };
    }
    return versions;
  }

  /** Packs a package, once. @param {string} path @returns {Promise<Buffer>} */
  #pack(path) {
    const known = this.#tarballs.get(path);
    if (known) return known;
    const cwd = join(PROJECT, path);
    const nested = join('package', 'node_modules');
    /** @param {string} file */
    const filter = (file) => !join('package', file).startsWith(nested) && basename(file) !== '.git';
    const packed = create({ cwd, gzip: true, prefix: 'package', filter, portable: true }, ['.'])
      .concat()
      .then((bytes) => Buffer.from(bytes));
    this.#tarballs.set(path, packed);
    return packed;
  }
}

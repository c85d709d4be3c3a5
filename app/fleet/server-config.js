/** Makes the configuration of a nats-server of a fleet. */

const CLIENT_PORT = 4222;
const ROUTE_PORT = 6222;
/** The checkpoints of Swarm have 79 KB; those of games of others up to some megabytes. */
const MAX_PAYLOAD = '8MB';
const MAX_MEMORY = '64MB';
const MAX_FILE = '256MB';

/** Requests to JetStream that a node sends. It does not delete buckets. */
const REQUESTS = [
  'STREAM.CREATE.*',
  'STREAM.UPDATE.*',
  'STREAM.INFO.*',
  'STREAM.PURGE.*',
  'STREAM.MSG.GET.*',
  'STREAM.LEADER.STEPDOWN.*',
  'INFO',
].map((request) => `$JS.API.${request}`);
/** A request that each server answers with its connections. */
export const CONNECTIONS = '$SYS.REQ.ACCOUNT.PING.CONNZ';
/** What a node may send: messages of the fleet, writes to buckets, and answers. */
const PUBLISH = [CONNECTIONS, 'pitv.>', '$KV.>', '_INBOX.>', ...REQUESTS];
const SUBSCRIBE = ['pitv.>', '_INBOX.>'];

/** @param {string[]} subjects */
const list = (subjects) => subjects.map((subject) => `"${subject}"`).join(', ');

/**
 * Makes the configuration of one server.
 * @param {object} options
 * @param {string} options.host of the server @param {string[]} options.hosts all of them
 * @param {string} options.name of the cluster
 * @param {string} options.store folder of JetStream
 * @param {string} options.user public nkey of the nodes
 * @param {string} options.password of the servers for each other
 * @param {number} [options.port] for nodes @param {number} [options.routePort] for servers
 * @param {string} [options.listen] address to listen at
 * @param {string[]} [options.routes] addresses of all servers with their ports; by default from `hosts`
 * @param {{cert: string, key: string, ca: string}} [options.tls] PEM files with which all connections are encrypted
 * @returns {string}
 */
export function serverConfig({
  host,
  hosts,
  name,
  store,
  user,
  password,
  port = CLIENT_PORT,
  routePort = ROUTE_PORT,
  listen = '0.0.0.0',
  routes = hosts.map((each) => `${each}:${ROUTE_PORT}`),
  tls,
}) {
  const files =
    tls && `cert_file: ${JSON.stringify(tls.cert)}, key_file: ${JSON.stringify(tls.key)}`;
  const others = routes.map((route) => `    nats-route://fleet:${password}@${route}`).join('\n');
  const cluster = `
cluster {
  name: ${JSON.stringify(name)}
  listen: "${listen}:${routePort}"
  authorization { user: fleet, password: "${password}" }${files ? `\n  tls { ${files}, ca_file: ${JSON.stringify(tls?.ca)} }` : ''}
  routes: [
${others}
  ]
}
`;
  return `# Server of a fleet of pitv, made by \`pitv fleet init\`.
server_name: ${JSON.stringify(host)}
listen: "${listen}:${port}"
max_payload: ${MAX_PAYLOAD}
ping_interval: "2s"
ping_max: 2
write_deadline: "2s"
jetstream {
  store_dir: ${JSON.stringify(store)}
  max_memory_store: ${MAX_MEMORY}
  max_file_store: ${MAX_FILE}
}
authorization {
  users: [
    { nkey: ${user}, permissions: { publish: [${list(PUBLISH)}], subscribe: [${list(SUBSCRIBE)}] } }
  ]
}
${files ? `tls { ${files} }\n` : ''}${hosts.length > 1 ? cluster : ''}`;
}

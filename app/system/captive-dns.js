/**
 * Answers every DNS request with the TV's address, in the network of its own access point. A phone that joins the
 * network looks for the internet, is redirected to the TV's page, and offers to open it.
 */
import { createSocket } from 'node:dgram';
import { messageOf } from '../errors.js';

const PORT = 53;
const HEADER_BYTES = 12;
/** The longest request over UDP without extensions (RFC 1035, section 4.2.1). */
const MAX_BYTES = 512;
const MAX_NAME_BYTES = 255;
const TYPE_A = 1;
const CLASS_IN = 1;
/** Flags of an answer (RFC 1035, section 4.1.1): QR, AA and RA. RD is copied from the request. */
const ANSWER_FLAGS = 0x8480;
const RD = 0x0100;
/** Flags of a request that have to be 0: QR and the operation. */
const NOT_A_QUERY = 0xf800;
/** A pointer to the name of the question (section 4.1.4). */
const NAME_POINTER = 0xc000 | HEADER_BYTES;

/** Finds the offset of the type behind the name, -1 if that is malformed. @param {Buffer} request */
function endOfName(request) {
  let at = HEADER_BYTES;
  while (at < request.length && at < HEADER_BYTES + MAX_NAME_BYTES) {
    const length = request[at];
    if (length > 63) return -1; // a pointer, which no question needs
    at += length + 1;
    if (length === 0) return at + 4 <= request.length ? at : -1;
  }
  return -1;
}

/**
 * Makes the answer to a request: the address for type A, nothing for all other types.
 * @param {Buffer} request @param {string} address IPv4
 * @returns {Buffer | undefined} undefined: the request is malformed
 */
export function answerDns(request, address) {
  if (request.length < HEADER_BYTES || request.length > MAX_BYTES) return undefined;
  const flags = request.readUInt16BE(2);
  if (flags & NOT_A_QUERY || request.readUInt16BE(4) !== 1) return undefined;
  const type = endOfName(request);
  if (type < 0) return undefined;
  const isAddress =
    request.readUInt16BE(type) === TYPE_A && request.readUInt16BE(type + 2) === CLASS_IN;
  const header = Buffer.alloc(HEADER_BYTES);
  request.copy(header, 0, 0, 2);
  header.writeUInt16BE(ANSWER_FLAGS | (flags & RD), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(Number(isAddress), 6);
  const question = request.subarray(HEADER_BYTES, type + 4);
  if (!isAddress) return Buffer.concat([header, question]);
  const record = Buffer.alloc(16); // the time to live is 0
  record.writeUInt16BE(NAME_POINTER, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt16BE(4, 10);
  record.set(address.split('.').map(Number), 12);
  return Buffer.concat([header, question, record]);
}

export class CaptiveDns {
  /** @type {import('node:dgram').Socket | undefined} */
  #socket;

  /** @param {Pick<import('pino').Logger, 'warn'>} log */
  constructor(log) {
    this.log = log;
  }

  /**
   * Starts to answer. A port that cannot be opened is logged: the page then has to be opened by its address.
   * @param {string} address of the TV in the network @param {number} [port] for tests
   * @returns {Promise<number>} the port; 0: it could not be opened
   */
  open(address, port = PORT) {
    this.close();
    const socket = createSocket('udp4');
    this.#socket = socket;
    socket.on('message', (request, { port: to, address: phone }) => {
      const answer = answerDns(request, address);
      if (answer) socket.send(answer, to, phone, () => {}); // a lost answer is requested again
    });
    return new Promise((resolve) => {
      socket.on('error', (error) => {
        this.log.warn({ error: messageOf(error) }, 'no DNS requests of phones are answered');
        if (this.#socket === socket) this.close();
        resolve(0);
      });
      socket.bind({ address, port, exclusive: true }, () => resolve(socket.address().port));
    });
  }

  close() {
    this.#socket?.close();
    this.#socket = undefined;
  }
}

/** Texts of pitv.txt for the tests of its settings. */
import { parseSettings } from '../../../app/config/parse.js';
import { setUp } from '../../support/setup.js';

/** Makes a public SSH key (RFC 4253, section 6.6). @param {string} type @param {...Buffer} parts */
function sshKey(type, ...parts) {
  const strings = [Buffer.from(type), ...parts].flatMap((bytes) => [
    Buffer.from([0, 0, bytes.length >> 8, bytes.length]),
    bytes,
  ]);
  return `${type} ${Buffer.concat(strings).toString('base64')}`;
}
export const KEY = `${sshKey('ssh-ed25519', Buffer.alloc(32, 7))} me@home`;
export const RSA = `${sshKey('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(257, 7))} other`;
export const STICK = sshKey('sk-ssh-ed25519@openssh.com', Buffer.alloc(32, 7), Buffer.from('ssh:'));
const GOOD = `# my TV
wifi-name = Café "Zum Bären"
wifi-password = p@ss = word?no, ascii: #1 'x' \\ $HOME
`;

/** Applies settings; the TV accepts the result. @param {string | Uint8Array} text @param {NodeJS.ProcessEnv} [env] */
export async function pitvTxt(text, env) {
  const outcome = await setUp({ 'pitv.txt': text }, env);
  parseSettings([], outcome.tv);
  return outcome;
}
const utf16le = (/** @type {string} */ text) => Buffer.from(text, 'utf16le');

/** Matches the name of a network in wpa_supplicant.conf. @param {string} name */
export const networkOf = (name) => new RegExp(`^  ssid=${Buffer.from(name).toString('hex')}$`, 'm');

/** The same text in different encodings. */
export const encodings = {
  'UTF-8': Buffer.from(GOOD),
  'UTF-8 with a byte order mark': Buffer.from(`\ufeff${GOOD}`),
  'UTF-16, as Notepad calls Unicode': utf16le(`\ufeff${GOOD}`),
  'UTF-16, big-endian': utf16le(`\ufeff${GOOD}`).swap16(),
  'UTF-16 without a byte order mark': utf16le(GOOD),
  'Windows-1252': Buffer.from(GOOD, 'latin1'),
  'CR LF': Buffer.from(GOOD.replaceAll('\n', '\r\n')),
  'CR only, as on old Macs': Buffer.from(GOOD.replaceAll('\n', '\r')),
  'without a line end in the last line': Buffer.from(GOOD.trimEnd()),
  'zeros at the end, as after a power cut': Buffer.concat([Buffer.from(GOOD), Buffer.alloc(999)]),
};

/** The seed of an nkey that is used nowhere. */
export const FLEET_KEY = 'SUAPKW3LSGQKCQGNY6XHJ3QHJMGHUY5VP7NRBCDPQZ6J5YZPQRXK7N5HWI';

/** Invalid text -> the problem that is reported. */
export const wrong = {
  'wifi-country = EN': /wifi-country must be two letters such as DE or GB, not "EN"/,
  'wifi-name = Cafe\nwifi-password = short': /line 2: .* must have 8 to 63 characters, not 5/,
  'wifi-name = Cafe\nwifi-password = häßlich123': /line 2: .* only letters without accents/,
  [`wifi-name = Cafe\nwifi-password = ${'g'.repeat(64)}`]: /line 2: .* is not joined\.$/,
  [`wifi-name = Cafe\nwifi-password = ${'f'.repeat(65)}`]: /line 2: .* is not joined\.$/,
  'wifi-name = Cafe\nwifi-password = \u201c12345678': /line 2: wifi-password .* is not joined\.$/,
  '# wifi-password = 12345678\nwifi-name = Cafe': /line 1: wifi-password has a # before it/,
  'wifi-password = 12345678': /wifi-password is set, but wifi-name is not/,
  'wifi-name = Cafe # comment': /line 1: a comment needs a line of its own/,
  'admin-password = 12345678 # comment': /line 1: a comment needs a line of its own/,
  'wifi-name = Cafe, wifi_password = 12345678': /line 1: each setting needs a line of its own/,
  [`wifi-name = ${'가'.repeat(20)}`]: /at most 32 bytes, not "가{13}\.{3}"/,
  'name = Cafe': /there is no setting "name"; did you mean wifi-name or hostname\?/,
  'tz = Europe/Berlin': /did you mean timezone\?/,
  'udp-port = 9910': /did you mean udp\?/,
  'ksn = auto': /did you mean ksm\?/,
  'fleetkey = x': /did you mean fleet-key\?/,
  'pasword = 12345678': /did you mean wifi-password\?/,
  'wlan = Cafe': /did you mean wifi-name or wifi-password or wifi-country\?/,
  'problem = x': /there is no setting "problem"/,
  'user = pi': /there is no setting "user"\./,
  'ssid = Cafe': /there is no setting "ssid"; did you mean wifi-name\?/,
  'wifi_ssid = Cafe': /did you mean wifi-name\?/,
  'psk = 12345678': /did you mean wifi-password\?/,
  'hostname = living room': /hostname must be at most 63 letters/,
  'hostname = -x': /hostname must be at most 63 letters/,
  'hostname = localhost': /hostname must be another name, not "localhost"/,
  'hostname = 123': /hostname must be another name, not "123"/,
  'timezone = Europe/Berlyn': /there is no "Europe\/Berlyn"/,
  'timezone = ../../etc/shadow': /timezone must be a place/,
  'timezone = /etc/shadow': /timezone must be a place/,
  'timezone = New York': /there is no "New_York"/,
  'language = Deutsch': /language must be a code/,
  'language = de_DE.UTF-8': /the screens are in English, because they have no texts in de-de\./,
  'engine = fast': /engine must be auto, zygote, process or thread, not "fast"/,
  'ksm = on': /ksm must be auto, off, mark, seeds or identical/,
  'engine = thread\nksm = seeds': /ksm = seeds needs engine = process or zygote/,
  'pinned-game = my game': /pinned-game must be the id of a game/,
  'attract-minutes = 1441': /attract-minutes must be a number of minutes/,
  'attract-minutes = soon': /attract-minutes must be a number of minutes/,
  'opening-hours = 9-17': /opening-hours must be two times of the day/,
  'opening-hours = 24:00-02:00': /opening-hours must be two times of the day/,
  'opening-hours = 09:00-09:00': /opening-hours must be two times of the day/,
  'join-code = K7PQ0': /join-code must be five letters and digits such as K7PQX/,
  'join-code = K7PQXX': /join-code must be five letters and digits such as K7PQX/,
  'public-url = http://pi.box/tv': /public-url must be an address such as .*without a path/,
  'public-url = http://192.168.1.400': /public-url must be an address such as/,
  'public-url = http://192.168.01.8': /public-url must be an address such as/,
  'update-url = ftp://example.org/': /update-url must be an address such as/,
  'update-url = https://example.org/`id`': /update-url must be an address such as/,
  'update-url = HTTPS://example.org/': /update-url must be an address such as/,
  'update-url = https://:443/': /update-url must be an address such as/,
  'update-url = https://example.org:65536/': /update-url must be an address such as/,
  'udp = 80': /udp must be no, yes, or a port/,
  'admin-password = äöüÄÖÜß': /admin-password must have 8 to 200 characters/,
  'fleet = 10.0.0.1': /line 1: fleet must be the addresses of all TVs/,
  'fleet = 10.0.0.1 10.0.0.1 10.0.0.2': /fleet must be the addresses of all TVs/,
  'fleet = 10.0.0.1 10.0.0.2 $(reboot)': /fleet must be the addresses of all TVs/,
  'fleet = 10.0.0.1 10.0.0.2 10.0.0.3': /fleet needs fleet-key, too/,
  'fleet-key = hello': /fleet-key must be the line that `pitv fleet init` has written/,
  [`fleet-key = ${FLEET_KEY}`]: /fleet-key is set, but fleet is not/,
  'ssh-key = hello': /ssh-key must be one line of a \.pub file/,
  [`ssh-key = ${KEY.slice(0, 60)}`]: /ssh-key is not whole/,
  [`ssh-key = ${RSA.slice(0, 'ssh-rsa '.length + 200)}`]: /ssh-key is not whole/,
  [`ssh-key = ${RSA.replace('ssh-rsa', 'ssh-ed25519')}`]: /ssh-key is not whole/,
  'ssh-key = command="rm -rf /" ssh-ed25519 AAAA': /ssh-key must be one line/,
  'ssh-key = -----BEGIN OPENSSH PRIVATE KEY-----': /is a private key/,
  'wifi name My Wi-Fi': /line 1 is not understood/,
  'wifi-passwort = 12345678': /did you mean wifi-password\?/,
  'hostname = a\nhostname = b': /hostname is set twice; this line is used/,
  '{\\rtf1\\ansi\\deff0 hostname = x}': /is a rich text document/,
  'wifi-name = a\u0001b': /wifi-name contains a control character/,
};

/**
 * Korean texts of the TV's problems, by the English sentence. {1}, {2} … stand for parts that differ; a part that is
 * listed here is translated, too. The first sentence that matches counts.
 *
 * @type {Record<string, string>}
 */
export default {
  'Nothing can be saved in {1}: {2}': '{1}에 아무것도 저장할 수 없어요: {2}',
  'The data partition is full: delete reports or games.':
    '데이터 파티션이 가득 찼어요. 보고서나 게임을 지우세요.',
  'The pinned game {1} is not installed.': '고정한 게임 {1}이(가) 설치되어 있지 않아요.',
  'The fleet saves no changes: the disks of its servers are full, or most of them are away.':
    '플릿에 저장할 수 없어요. 서버의 디스크가 가득 찼거나 대부분의 서버가 응답하지 않아요.',
  'No games until {1}.': '{1}에 다시 시작할 수 있어요.',
  'Matches are not being saved: {1}.': '경기가 저장되지 않고 있어요: {1}.',
  'The saved file {1} was ignored: {2}. It is now called {3}.':
    '저장된 파일 {1} 대신 기본값을 써요: {2}. 새 이름: {3}.',
  'The saved file {1} was ignored: {2}. It stays where it is.':
    '저장된 파일 {1} 대신 기본값을 써요: {2}. 파일은 그대로 두었어요.',
  'The saved file {1} was ignored: {2}. It could not be renamed: {3}.':
    '저장된 파일 {1} 대신 기본값을 써요: {2}. 이름을 바꾸지 못했어요: {3}.',
  '{1} saved files were ignored, see the log. The first one: {2}':
    '저장된 파일 {1}개를 쓸 수 없어요. 로그를 확인하세요. 첫 번째: {2}',

  'the disk is full': '디스크가 가득 찼어요',
  'the disk quota is used up': '디스크 할당량을 다 썼어요',
  'the disk is read-only': '디스크가 읽기 전용이에요',
  'the file is larger than this process may write': '파일이 허용된 크기보다 커요',
  'the disk reports an input or output error': '디스크에 입출력 오류가 있어요',
  'permission denied': '권한이 없어요',
  'too many files are open': '열린 파일이 너무 많아요',
  'it is not valid JSON': 'JSON 형식이 아니에요',
  'it is not a regular file': '일반 파일이 아니에요',
  'it is not a directory': '디렉터리가 아니에요',
  'it is a symbolic link': '심볼릭 링크예요',

  'The update to version {1} did not work: {2}. The TV is back at version {3}.':
    '버전 {1} 업데이트가 제대로 작동하지 않았어요: {2}. 버전 {3}(으)로 돌아왔어요.',
  'it did not start, or was switched off before it was ready':
    '시작하지 못했거나 준비되기 전에 꺼졌어요',
  'the TV did not answer': 'TV가 응답하지 않았어요',
  'no match could run': '경기를 실행할 수 없었어요',
  'its data could not be saved': '데이터를 저장할 수 없었어요',
  'The TV is looking for an update. Wait for it.': 'TV가 업데이트를 찾고 있어요. 기다리세요.',
  'An update is being downloaded. Wait for it.': '업데이트를 받고 있어요. 기다리세요.',
  'Another update is being installed. Wait for it.':
    '다른 업데이트를 설치하고 있어요. 끝날 때까지 기다리세요.',
  'Another update is installed, and the machine restarts.':
    '다른 업데이트를 설치했고, 기기가 다시 시작돼요.',
  'Another update is being uploaded. Wait for it.':
    '다른 업데이트를 올리고 있어요. 끝날 때까지 기다리세요.',
  'The data partition was damaged and has been repaired. Data may be lost.':
    '데이터 파티션이 손상되어 복구했어요. 데이터가 일부 없어졌을 수 있어요.',
  'The card has no data partition: all data is lost when the TV is switched off.':
    '카드에 데이터 파티션이 없어요. TV를 끄면 데이터가 모두 없어져요.',
  'The data partition disappeared while it was resized: all data is lost when the TV is switched off.':
    '크기를 바꾸는 중에 데이터 파티션이 사라졌어요. TV를 끄면 데이터가 모두 없어져요.',
  'The data partition could not be resized to the end of the card.':
    '데이터 파티션을 카드 끝까지 늘리지 못했어요.',
  'The data partition ({1}) is damaged beyond repair: all data is lost when the TV is switched off. Flash the card again, or use another one.':
    '데이터 파티션({1})을 복구할 수 없어요. TV를 끄면 데이터가 모두 없어져요. 카드를 다시 굽거나 다른 카드를 쓰세요.',
  'No file system in memory could be mounted on {1}.':
    '{1}에 메모리 파일 시스템을 마운트하지 못했어요.',
  'admin-password was not stored: there is no data partition.':
    'admin-password를 저장하지 못했어요. 데이터 파티션이 없어요.',
  'admin-password was not stored: the data partition cannot be written to.':
    'admin-password를 저장하지 못했어요. 데이터 파티션에 쓸 수 없어요.',
  'admin-password was stored, but could not be removed from pitv.txt: delete it there.':
    'admin-password를 저장했지만 pitv.txt에서 지우지 못했어요. 직접 지우세요.',
  'The boot partition of the card cannot be read: pitv.txt is not used.':
    '카드의 부트 파티션을 읽을 수 없어 pitv.txt를 쓰지 않아요.',

  'The browser on the television has ended too often. Restart the TV to try again.':
    '텔레비전의 브라우저가 너무 자주 종료됐어요. TV를 다시 시작해 보세요.',

  'This TV has no network, so phones cannot join. Plug in a network cable, or wait for the Wi-Fi.':
    'TV에 네트워크가 없어 휴대폰이 참가할 수 없어요. 네트워크 케이블을 꽂거나 Wi-Fi 연결을 기다리세요.',
  'This TV has no network. With a phone, join the Wi-Fi {1} (password: {2}), then open {3} and choose yours.':
    'TV에 네트워크가 없어요. 휴대폰을 Wi-Fi {1}에 연결한 다음(비밀번호: {2}) {3}을 열고 Wi-Fi를 고르세요.',
  'The Wi-Fi does not accept the password.': 'Wi-Fi 비밀번호가 틀렸어요.',
  'The Wi-Fi does not let the TV in. Check the password.':
    'Wi-Fi에 연결하지 못했어요. 비밀번호를 확인하세요.',
  'The Wi-Fi gives the TV no address (DHCP).': 'Wi-Fi가 TV에 주소를 주지 않아요(DHCP).',
  'There is no Wi-Fi with this name in range.': '이 이름의 Wi-Fi가 주변에 없어요.',
  'The Wi-Fi is joined until the TV is switched off. It could not be stored on the card.':
    'TV를 끌 때까지만 Wi-Fi에 연결돼요. 카드에 저장하지 못했어요.',

  '{1} is larger than 64 KiB; only its beginning is used.':
    '{1}: 64KiB보다 커서 앞부분만 사용해요.',
  '{1}: timezone must be a place such as Europe/Berlin; there is no "{2}".':
    '{1}: timezone은 Asia/Seoul 같은 지역이어야 해요. "{2}"라는 지역은 없어요.',
  '{1}: there is no setting "{2}"; did you mean {3}?':
    '{1}: "{2}"라는 설정은 없어요. {3} 아닌가요?',
  '{1}: there is no setting "{2}".': '{1}: "{2}"라는 설정은 없어요.',
  '{1}: {2} contains a control character; it is not used.':
    '{1}: {2}에 제어 문자가 있어 사용하지 않아요.',
  '{1}: {2} is set twice; this line is used.': '{1}: {2} 설정이 두 번 있어요. 이 줄을 사용해요.',
  '{1}: {2} more lines like these are ignored.': '{1}: 이런 줄 {2}개를 더 무시했어요.',
  'pitv.txt: {1} more lines are wrong.': 'pitv.txt: 잘못된 줄이 {1}개 더 있어요.',
  '{1} is not used; the TV reads pitv.txt.':
    '{1}: 이 파일은 사용하지 않아요. TV는 pitv.txt를 읽어요.',
  '{1} is not in UTF-8: its Korean letters cannot be read. Save it as UTF-8.':
    '{1}: UTF-8이 아니어서 한글을 읽을 수 없어요. UTF-8로 저장하세요.',
  '{1} is a rich text document and is not used; save it as plain text.':
    '{1}: 서식 있는 문서라서 사용하지 않아요. 일반 텍스트로 저장하세요.',
  '{1} is not understood; a setting is `name = value`, and a comment begins with #.':
    '{1}: 알 수 없는 줄이에요. 설정은 `이름 = 값`, 주석은 #으로 시작해요.',
  '{1}: each setting needs a line of its own; this one is not used.':
    '{1}: 설정은 한 줄에 하나씩 써야 해요. 이 줄은 사용하지 않아요.',
  '{1}: the screens are in English, because they have no texts in {2}.':
    '{1}: {2} 언어가 없어 화면이 영어로 나와요. en이나 ko를 쓰세요.',
  '{1}: wifi-name has no password, but a wrong line may be the password. The Wi-Fi is not joined.':
    '{1}: wifi-name에 비밀번호가 없어요. 잘못된 줄이 비밀번호일 수 있어서 Wi-Fi에 연결하지 않아요.',
  '{1} is not used. Set wifi-name and wifi-password in pitv.txt.':
    '{1}: 이 파일은 사용하지 않아요. pitv.txt에 wifi-name과 wifi-password를 쓰세요.',
  '{1}: a comment needs a line of its own: the # is a part of {2}.':
    '{1}: 주석은 따로 한 줄에 써야 해요. #도 {2} 값에 들어가요.',
  '{1}: wifi-password can contain only letters without accents, digits and signs (WPA). The Wi-Fi is not joined.':
    '{1}: wifi-password에는 영문자와 숫자, 기호만 쓸 수 있어요(WPA). Wi-Fi에 연결하지 않아요.',
  '{1}: wifi-password must have 8 to 63 characters, not {2}. The Wi-Fi is not joined.':
    '{1}: wifi-password는 8~63자여야 해요. 지금은 {2}자예요. Wi-Fi에 연결하지 않아요.',
  '{1}: wifi-password has a # before it. The Wi-Fi is not joined: delete the #, or the line.':
    '{1}: wifi-password 앞에 #이 있어요. Wi-Fi에 연결하지 않아요. #이나 그 줄을 지우세요.',
  '{1}: wifi-password is set, but wifi-name is not.':
    '{1}: wifi-password만 있고 wifi-name이 없어요.',
  '{1}: admin-password must have 8 to 200 characters.': '{1}: admin-password는 8~200자여야 해요.',
  '{1}: SSH login needs a key, passwords are not supported; see ssh-key in pitv.txt.':
    '{1}: SSH 로그인에는 비밀번호 대신 키가 필요해요. pitv.txt의 ssh-key를 참고하세요.',
  '{1}: ssh-key is a private key. Use the public key, from a file that ends in .pub. Replace this key, because it is no longer secret.':
    '{1}: ssh-key가 개인 키예요. .pub 파일의 공개 키를 쓰세요. 이 키는 노출되었으니 새로 만드세요.',
  '{1}: ssh-key is not whole: its second part has {2} characters.':
    '{1}: ssh-key가 잘렸어요. 두 번째 부분이 {2}자예요.',
  '{1}: ssh-key must be one line of a .pub file, such as: ssh-ed25519 AAAA... name.':
    '{1}: ssh-key는 .pub 파일의 한 줄이어야 해요. 예: ssh-ed25519 AAAA... name.',
  'fleet is not used: this card has no nats-server. Make one with `make image FLEET=yes`.':
    'fleet를 쓸 수 없어요. 이 카드에는 nats-server가 없어요. `make image FLEET=yes`로 카드를 만드세요.',
  'fleet is not used: its files cannot be written.':
    'fleet를 쓸 수 없어요. 파일을 저장하지 못했어요.',
  '{1}: fleet-key must be the line that `pitv fleet init` has written.':
    '{1}: fleet-key에는 `pitv fleet init`이 쓴 줄을 그대로 써야 해요.',
  '{1}: fleet needs fleet-key, too; `pitv fleet init` writes both. This TV is alone.':
    '{1}: fleet에는 fleet-key도 필요해요. `pitv fleet init`이 둘 다 써요. 이 TV는 혼자 작동해요.',
  '{1}: fleet-key is set, but fleet is not.': '{1}: fleet-key만 있고 fleet이 없어요.',
  '{1}: fleet names two TVs. While one of them is off, the other has no majority: it does not go on with its matches, and does not start. Three TVs do.':
    '{1}: fleet에 TV가 두 대예요. 한 대가 꺼지면 다른 한 대는 과반수가 안 되어 경기를 이어 가거나 시작할 수 없어요. 세 대면 돼요.',
  '{1}: ksm = {2} needs engine = process or zygote; memory is not merged.':
    '{1}: ksm = {2} 설정에는 engine = process나 zygote가 필요해요. 메모리를 병합하지 않아요.',
  '{1}: {2} must be {3}, not "{4}".': '{1}: {2} 값 "{4}"을(를) 쓸 수 없어요. 허용: {3}.',
  '{1}: {2} must be {3}.': '{1}: {2} 값을 쓸 수 없어요. 허용: {3}.',
  "the Wi-Fi's name": 'Wi-Fi 이름',
  'another name': '다른 이름',
  'auto, zygote, process or thread': 'auto, zygote, process, thread',
  'auto, off, mark, seeds or identical': 'auto, off, mark, seeds, identical',
  'the id of a game, such as bumper': 'bumper 같은 게임 ID',
  'a number of minutes from 0 to 1440': '0~1440 사이의 분',
  'two times of the day, such as 17:00-02:00': '17:00-02:00 같은 두 시각',
  'five letters and digits such as K7PQX, without A, E, I, L, O, U, V, 0 and 1':
    'K7PQX처럼 A, E, I, L, O, U, V, 0, 1을 뺀 영문자와 숫자 다섯 자',
  'an address such as http://pi.box, without a path': 'http://pi.box처럼 경로가 없는 주소',
  'an address such as https://example.org/pitv/': 'https://example.org/pitv/ 같은 주소',
  'the addresses of all TVs, such as 192.168.1.11 192.168.1.12 192.168.1.13':
    '192.168.1.11 192.168.1.12 192.168.1.13처럼 모든 TV의 주소',
  'at most 32 bytes': '32바이트까지',
  '1 to 32 bytes': '1~32바이트',
  'two letters such as DE or GB': 'KR 같은 두 글자',
  'at most 63 letters a to z, digits and hyphens': '영문 소문자, 숫자, 하이픈으로 63자까지',
  'a code such as en or de-AT': 'ko나 en 같은 코드',
  'a place such as Europe/Berlin': 'Asia/Seoul 같은 지역',
  'no, yes, or a port from 1024 to 65535': 'no, yes 또는 1024~65535 포트',
};

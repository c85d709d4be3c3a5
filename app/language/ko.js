/** 한국어: Korean texts of the commands. @type {import('./index.js').CommandTexts} */
export default {
  errors: {
    PITV_USAGE: '명령이나 옵션, 값이 잘못됐어요. --help로 확인하세요.',
    PITV_CANCELLED: '취소했어요. 아무것도 바뀌지 않았어요.',
    PITV_FILE_UNWRITABLE: '파일을 쓸 수 없어요. 다른 경로를 고르거나 디스크 공간을 확보하세요.',
    PITV_TV_AWAY: '이 주소에서 응답하는 TV가 없어요.',
    PITV_SAVED_INVALID: '저장된 파일을 쓸 수 없어요.',
    PITV_DATA_DIR_BUSY:
      '다른 TV가 이 데이터 폴더를 쓰고 있어요. --data-dir로 다른 폴더를 고르세요.',
    PITV_PORT_BUSY: '다른 프로그램이 포트를 쓰고 있어요. --port나 --udp로 다른 포트를 고르세요.',
    PITV_LISTEN_FAILED: '이 주소로 TV를 열 수 없어요. --host와 --port를 확인하세요.',
    PITV_TLS_FILE: '인증서나 키 파일을 읽을 수 없어요.',
    PITV_TLS_INVALID: '인증서나 키가 올바른 PEM이 아니에요.',
    PITV_TLS_MISMATCH: '키가 이 인증서의 것이 아니에요.',
    PITV_PASSWORD_FILE: '비밀번호 파일을 읽을 수 없어요.',
    PITV_UPDATE_REFUSED: '업데이트를 설치하지 않았어요. 지금 시스템은 그대로예요.',
    PITV_UPDATE_FAILED: '카드의 시스템을 읽거나 표시하지 못했어요. root로 실행하세요.',
    PITV_UDP_ADDON:
      '네이티브 패드를 쓰려면 네이티브 애드온이 필요해요. `make native`를 실행하세요.',
    PITV_UDP_FULL: 'TV에 네이티브 패드가 가득 찼어요.',
    PITV_PACKAGE_NPM: 'npm으로 패키지를 받지 못했어요. 이름과 네트워크를 확인하세요.',
    PITV_PACKAGE_SOURCE:
      '업로드한 패키지는 저절로 업데이트할 수 없어요. 새 버전을 다시 추가하세요.',
    PITV_ENGINE_UNSUPPORTED: '이 기기에서는 이 엔진을 쓸 수 없어요. --engine auto를 쓰세요.',
    PITV_DEPENDENCY_MISSING: 'npm 패키지가 설치되지 않았어요. `npm ci`나 `make run`을 실행하세요.',
    PITV_NATIVE_MISSING: '네이티브 애드온이 없거나 오래됐어요. `make native`를 실행하세요.',
    PITV_FLEET_AWAY: '플릿의 서버나 다른 노드가 응답하지 않아요. --fleet과 네트워크를 확인하세요.',
    PITV_FLEET_CREDENTIALS:
      '플릿의 자격 증명을 쓸 수 없어요. `pitv fleet init`이 만든 파일을 주세요.',
    PITV_FLEET_NAME:
      '노드의 이름을 쓸 수 없거나 다른 TV가 쓰고 있어요. 다른 이름을 쓰세요(영어 소문자, 숫자, 하이픈).',
    PITV_BENCH_MISSING: '벤치마크가 설치되어 있지 않아요. 저장소를 내려받아 쓰세요.',
  },
  sentences: {
    'There is no command "{1}". Commands: {2}.': '"{1}"라는 명령은 없어요. 명령: {2}.',
    'There is no command "{1}". See {2} --help.': '"{1}"라는 명령은 없어요. {2} --help를 보세요.',
    'An argument is missing. See {1} --help.': '인자가 빠졌어요. {1} --help를 보세요.',
    'Too many arguments. See {1} --help.': '인자가 너무 많아요. {1} --help를 보세요.',
    "Unknown option '{1}'. See {2} --help.": "'{1}' 옵션은 없어요. {2} --help를 보세요.",
    'Unexpected argument {1}. See {2} --help.': '{1}: 필요 없는 인자예요. {2} --help를 보세요.',
    "Option '{1}' argument missing. See {2} --help.":
      "'{1}' 옵션에 값이 없어요. {2} --help를 보세요.",
    "Option '{1}' does not take an argument. See {2} --help.":
      "'{1}' 옵션에는 값을 줄 수 없어요. {2} --help를 보세요.",
    '{1} must be {2}, not "{3}".': '{1}의 값은 {2}이어야 해요. "{3}"는 안 돼요.',
    '--tls-{1} also needs --tls-{2}.': '--tls-{1}에는 --tls-{2}도 필요해요.',
    'No TV answers at {1}. Start it with pitv serve, or give its --url.':
      '{1}에서 응답하는 TV가 없어요. pitv serve로 시작하거나 --url로 주소를 주세요.',
    'No match is running on this TV.': '이 TV에서 진행 중인 경기가 없어요.',
    'Name one update, or --status. See pitv update --help.':
      '업데이트 하나나 --status를 주세요. pitv update --help를 보세요.',
    'The update is installed.': '업데이트를 설치했어요.',
    'It starts with the next restart.': '다시 시작하면 새 시스템이 켜져요.',
    'The machine restarts.': '기기를 다시 시작해요.',
    'not running': '꺼져 있음',
    running: '실행 중',
    good: '정상',
    'not startable': '시작할 수 없음',
    'The passwords differ. Nothing was changed.':
      '비밀번호가 서로 달라요. 아무것도 바뀌지 않았어요.',

    '{1} | {2}': '{1} | {2}',
    'an address of http or https': 'http나 https 주소',
    'an address or a name of this machine': '이 기기의 주소나 이름',
    'a directory, created if missing': '디렉터리(없으면 만들어요)',
    '{1}, or empty': '{1} 또는 빈 값',
    'a directory': '디렉터리',
    'a file': '파일',
    'a PEM file': 'PEM 파일',
    'http(s)://name[:port]': 'http(s)://이름[:포트]',
    'http(s)://name[:port], separated by commas': 'http(s)://이름[:포트], 쉼표로 구분',
    'nats://host:port or tls://host:port, separated by commas':
      'nats://호스트:포트 또는 tls://호스트:포트, 쉼표로 구분',
    'up to 64 characters': '64자까지',
    'a language such as en or ko-KR': 'en, ko-KR 같은 언어',

    'The TV is running.': 'TV가 켜졌어요.',
    'Screen: open one of these in a browser on the television':
      '화면: 텔레비전의 브라우저에서 다음 주소 중 하나를 여세요',
    'Phones: scan this, or open the same address with /pad and type the code':
      '휴대폰: 아래를 스캔하거나, 같은 주소 뒤에 /pad를 붙여 열고 코드를 입력하세요',
    '  code {1}': '  코드 {1}',
    'Admin page: {1}': '관리자 페이지: {1}',
    'Admin token {1}': '관리자 토큰 {1}',
    '  saved in {1}': '  {1}에 저장했어요',
    '  for this start only: it could not be saved': '  저장하지 못해서 이번에만 쓸 수 있어요',
    'Engine {1}: {2}': '엔진 {1}: {2}',
    'a forked process for each match{1}': '경기마다 포크한 프로세스 하나{1}',
    'a process for each match{1}': '경기마다 프로세스 하나{1}',
    'a thread for each match{1}': '경기마다 스레드 하나{1}',
    'Native pads: {1}': '네이티브 패드: {1}',
    '  datagrams come to UDP port {1}': '  데이터그램은 UDP 포트 {1}로 와요',
    'Any browser that reaches the TV may be a screen, and a screen shows the code;':
      'TV에 접속할 수 있는 브라우저는 모두 화면이 될 수 있고, 화면에는 코드가 보여요.',
    'with --screen-access code a screen has to enter the code first.':
      '--screen-access code를 쓰면 화면도 코드를 먼저 입력해야 해요.',
    'Nothing can be saved in {1}: {2}': '{1}에 아무것도 저장할 수 없어요: {2}',

    'New admin password (at least {1} characters): ': '새 관리자 비밀번호({1}자 이상): ',
    'Repeat it: ': '한 번 더: ',
    'The password was removed. Only the admin token gives access now.':
      '비밀번호를 지웠어요. 이제 관리자 토큰으로만 들어갈 수 있어요.',
    'The password was set ({1}). All admins have to log in again.':
      '비밀번호를 정했어요({1}). 관리자는 모두 다시 로그인해야 해요.',
    'No TV has used {1} yet. If that is the wrong one, give --data-dir.':
      '{1}: 아직 어느 TV도 쓰지 않은 디렉터리예요. 잘못 골랐다면 --data-dir로 알려 주세요.',
  },
};

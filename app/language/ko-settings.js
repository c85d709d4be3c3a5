/** Korean help texts of the settings of `pitv serve`, by name. @type {Readonly<Record<string, string>>} */
export default {
  port: '페이지, API, 웹소켓의 TCP 포트. 0: 비어 있는 아무 포트',
  host: '접속을 받을 주소. 0.0.0.0은 모든 IPv4 주소, ::은 모든 IPv4와 IPv6 주소',
  engine:
    '경기를 실행하는 방법: 스레드(thread), 프로세스(process), 미리 준비된 프로세스에서 포크한 프로세스(zygote). auto: zygote, process, thread 중 이 기기에서 되는 첫째',
  ksm: '`pitv ksm auto`나 `pitv ksm on`이 실행되는 동안 커널이 경기들의 같은 메모리를 병합해요(엔진 process와 zygote). mark: 메모리를 병합 가능으로 표시. seeds: 같은 난수 시드도 사용. identical: 주소 공간 무작위화도 끔. auto: 커널이 지원하면 엔진 process에서 seeds, 아니면 off',
  untrustedGames:
    'pitv에 포함되지 않은 게임. locked: 자기 게임만 읽고 아무것도 열지 못하는 프로세스에서 경기를 실행(Landlock과 엔진 zygote나 process 필요). off: 쓰지 않음. open: 기기와 엔진이 되는 만큼만 격리하거나, 전혀 격리하지 않음',
  maxMatches: '동시에 진행할 수 있는 경기의 최대 개수. auto: 코어와 남은 메모리에 따라 결정',
  language:
    'TV의 화면, 이 명령의 출력, 클립 속 글자의 언어. auto: 화면은 브라우저의 언어, 나머지는 LC_ALL, LC_MESSAGES, LANG의 언어',
  dataDir:
    '관리자 토큰과 비밀번호, 플레이어, 저장된 경기, 설치한 게임, 클립, 프로파일, 게임 그림을 두는 디렉터리',
  adminPasswordFile:
    '첫 줄이 시작할 때 관리자 비밀번호가 되는 파일. 비밀번호를 마지막으로 바꾼 뒤에 고친 파일이어야 해요. 없어도 돼요',
  checkpointSeconds:
    '정전 때 잃는 것을 줄이려고 진행 중인 경기를 저장하는 간격(초). 0: TV가 꺼질 때만. 한 시간 플레이할 때 카드에 17MB(bumper)에서 180MB(swarm)까지 써요',
  problemsDir: '시스템이 문제를 알리는 디렉터리. 파일의 한 줄이 한 문장이고, TV가 보여 줘요',
  runtimeDir:
    '기기의 콘솔에 띄울 글과 전원 끄기, 재부팅, 업데이트 요청을 두는 디렉터리. 이를 읽는 시스템에서만 써요(image/common)',
  updateDir:
    '시스템이 업데이트 상태를 알리는 디렉터리. 빈 값: 업데이트를 설치하지 않아요. --runtime-dir이 필요해요',
  wifiDir:
    '네트워크가 없는 보드의 액세스 포인트 상태를 시스템이 알리는 디렉터리(image/common). 빈 값: 열지 않아요. --runtime-dir이 필요해요',
  updateUrl: '관리자 페이지에서 찾을 업데이트가 있는 폴더의 주소. `make bundle`이 만드는 폴더예요',
  clipMb: '모든 클립을 합친 디스크 공간(MB). 0: 클립 없음',
  logLevel: '로그의 최소 수준. 로그는 stderr에 JSON으로 나와요',
  hangMs:
    '진행이 멈춘 경기를 다시 시작할 때까지의 시간(ms). 코어나 디스크를 기다리는 시간은 세지 않아요. auto: 600, Node.js가 시작하는 데 200 ms가 넘게 걸리면 더 길게',
  screenAccess:
    'open: TV에 접속할 수 있는 브라우저는 모두 화면이 될 수 있고, 화면에는 참가 코드가 보여요. code: 화면도 코드를 한 번 입력해야 해요',
  tlsCert:
    '인증서와 그 체인. 있으면 HTTP 대신 HTTPS를 써요. --tls-key가 필요해요. SIGHUP을 받으면 두 파일을 다시 읽어요',
  tlsKey: '암호가 걸리지 않은 인증서의 개인 키',
  publicUrl: 'TV가 스스로 알 수 없을 때 QR 코드에 쓸 주소. 예를 들어 프록시 뒤나 컨테이너 안에서',
  allowedOrigin: '페이지가 TV를 쓸 수 있는 다른 오리진',
  trustedProxy:
    'X-Forwarded-For 헤더를 믿을 리버스 프록시. 제한을 그 뒤의 클라이언트에 적용하기 위한 것이에요',
  maxClients: '동시에 연결할 수 있는 화면과 휴대폰의 최대 개수',
  maxClientsPerAddress: '그중 한 네트워크 주소에서 올 수 있는 최대 개수',
  maxRequestsPerSecond: '한 네트워크 주소에서 오는 HTTP 요청의 평균 최대 횟수(초당)',
  maxPadsPerAddress:
    '한 네트워크 주소에서 참가할 수 있는 플레이어의 최대 수. 학교 공유기 뒤처럼 여러 휴대폰이 주소를 함께 쓰면 늘리세요',
  ioThreads:
    '파일과 비밀번호 해시를 처리하는 스레드(libuv 풀). auto: 코어 수와 경기가 코어를 쓰는 정도에 따라 결정',
  udp: '네이티브 패드의 데이터그램을 받을 UDP 포트(app/udp/README.md 참고). 0: 비어 있는 아무 포트',
  udpReceivers: '데이터그램을 받는 스레드 수. 하나가 초당 수십만 개를 처리해요',
  udpPin: 'on: 이 스레드를 각각 CPU 하나에 고정해요',
  fleet:
    '플릿의 NATS 서버. 예: nats://10.0.0.1:4222. 여러 TV가 하나의 게임기가 되고, 하나가 고장 나도 경기가 이어져요(docs/fleet.md 참고). 빈 값: 플릿 없음',
  fleetCredentials: '플릿의 자격 증명 파일. `pitv fleet init`이 만들어요',
  fleetCa: 'tls:// 주소를 쓸 때, NATS 서버의 인증서에 서명한 기관의 인증서',
  fleetNode: '플릿 안에서 이 TV의 이름: 영어 소문자, 숫자, 하이픈. 빈 값: 호스트 이름',
  fleetPartition:
    '이 TV가 플릿의 나머지 대부분과 끊어졌을 때 이 TV의 경기를 어떻게 할지. pause: 다른 TV가 이어받으므로 기다려요. continue: 여기서 계속하고, 다시 연결됐을 때 다른 TV가 이어받은 경기는 끝나요',
};

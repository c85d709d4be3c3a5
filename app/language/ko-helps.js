/** Korean output of --help. */

const DATA_DIR =
  '  --data-dir DIR  TV의 데이터 디렉터리. 기본값은 pitv serve와 같음, 환경 변수 PITV_DATA_DIR\n';

const FLEET = `  --fleet URLS    플릿의 NATS 서버. 환경 변수 PITV_FLEET
  --fleet-credentials FILE
                  환경 변수 PITV_FLEET_CREDENTIALS
  --fleet-ca FILE 환경 변수 PITV_FLEET_CA
`;

/** By command and subcommand. @type {Readonly<Record<string, string>>} */
export default {
  clip: `사용법: pitv clip [options]
진행 중인 경기의 클립을 만들고, 완성될 때까지 기다려요. Ctrl-C를 누르면 취소해요.

  --match ID        경기. 진행 중인 경기가 하나면 생략해도 돼요
  --last SECONDS    마지막 1..30초를 저장해요. 기본 동작이며 기본값은 30
  --record SECONDS  지금부터 1..120초를 녹화해요
  --height N        720(1280x720) 또는 1080(1920x1080), 초당 30프레임. 기본값 720
  --out FILE        클립을 이 파일로 내려받아요

  --list            클립 목록을 보여 줘요
  --fetch ID        클립을 내려받아요. --out이 필요해요
  --delete ID       클립을 지우거나, 만들고 있는 클립을 취소해요

  --url URL         TV의 주소. 기본값 http://127.0.0.1:8080
  --data-dir DIR    관리자 토큰을 읽을 TV의 데이터 디렉터리. 없으면 PITV_ADMIN_TOKEN을 설정하세요
`,
  passwd: `사용법: pitv passwd [options]

관리자 페이지의 비밀번호를 정해요. 터미널에서는 두 번 묻고, 아니면 stdin의 첫 줄을 읽어요.
실행 중인 TV는 새 비밀번호를 바로 쓰고, 관리자는 모두 다시 로그인해야 해요.

${DATA_DIR}  --clear         비밀번호를 지워요. 그러면 관리자 토큰으로만 들어갈 수 있어요
`,
  update: `사용법: pitv update FILE|URL [--no-restart] [--allow-older]
        pitv update --status

\`make bundle\`로 만든 업데이트 파일을 실행 중이 아닌 시스템에 설치하고 기기를 다시 시작해요. 경기는 저장되고
이어져요. 새 시스템이 제대로 켜지지 않으면 지금 시스템으로 돌아와요. 카드에서 root로 실행하세요.

  --no-restart    다시 시작하지 않아요. 다음에 시작할 때 새 시스템이 켜져요
  --allow-older   실행 중인 버전보다 오래된 것도 설치해요
  --status        두 시스템과 버전을 보여 줘요
  --confirm       실행 중인 시스템이 작동할 때까지 기다렸다가 정상으로 표시해요. 카드가 시작할 때마다 해요
  --requested     관리자 페이지가 요청한 것을 해요. 카드의 서비스가 써요
`,
  version: `사용법: pitv version [--json]

  --json  JSON 객체 하나를 출력해요: name, version, node, v8, platform, arch
`,
  'fleet drain': `사용법: pitv fleet drain NODE [options]

노드의 경기를 모두 다른 노드로 옮기고, 거기에서는 새 경기를 시작하지 않아요. 경기는 잠깐 멈춰요.

  --undo          노드가 다시 경기를 받게 해요
${FLEET}`,
  'fleet forget': `사용법: pitv fleet forget NODE [options]

다시 쓰지 않을 노드를 지워요. 그 전까지는 나머지가 플릿의 과반수인지 따질 때 이 노드도 세요. 지운 노드가 다시
시작되면 다시 들어와요.

${FLEET}`,
  'fleet init': `사용법: pitv fleet init HOST [HOST ...] [options]

플릿의 파일을 만들어요: 노드의 자격 증명과, 호스트마다 nats-server의 설정. 호스트가 셋 이상이면 하나가 고장 나도
경기가 이어져요. 하나나 둘이면 과반수가 없어서 경기를 이어받지 않아요.

  --out DIR       파일을 둘 폴더, 기본값 fleet. 없는 폴더여야 해요
  --name NAME     클러스터의 이름, 기본값 pitv
  --store DIR     호스트마다 JetStream을 둘 폴더, 기본값 /var/lib/pitv-fleet
  --key FILE      새로 만들지 않고 이 nkey 시드를 써요
  --server NAME   이 이름의 서버를 위한 nats.conf만 만들어요. 이미 있는 폴더여도 돼요
  --tls           모든 연결을 암호화해요. 설정 옆에 두는 server.crt, server.key, ca.crt 파일을 써요
`,
  'fleet status': `사용법: pitv fleet status [options]

플릿의 노드와, 어느 경기가 어디에서 실행되는지 보여 줘요.

  --json          대신 JSON 객체를 출력해요
${FLEET}`,
  'games add': `사용법: pitv games add <name[@version] | file.tgz | folder> [options]

게임 패키지를 설치하거나, 설치된 버전을 바꿔요. 이름으로 주면 npm이 받아 오고, 패키지의 스크립트는
실행하지 않아요. 폴더는 복사해요. 바뀐 버전의 경기는 시작한 버전으로 끝까지 진행돼요.

${DATA_DIR}`,
  'games dev': `사용법: pitv games dev <folder> [options]

폴더의 게임을 봇과 함께 플레이하는 TV를 시작해요. 브라우저에서 주소를 여세요. 파일을 저장하면 경기가 새 코드로
이어지고, 게임 상태의 구조가 달라졌으면 새 경기를 시작해요. 오류는 그 줄과 함께 화면에 나오고, 마지막으로 문제없던
버전이 계속 실행돼요. TV는 따로 데이터 디렉터리를 쓰고, 끝나면 지워요.

  --port N        TCP 포트. 기본값은 pitv serve와 같음
  --host HOST     연결을 받을 주소. 기본값은 pitv serve와 같음
  --engine NAME   경기를 실행하는 방법. 기본값은 pitv serve와 같음
  --log-level L   stderr에 나오는 로그의 최소 수준. 기본값 error
  --untrusted-games locked | open
                  open: 격리할 수 없는 곳에서도 실행해요. 기본값은 pitv serve와 같음
`,
  'games list': `사용법: pitv games list [options]

설치된 게임을 보여 줘요: id, 버전, 크기, 패키지, 출처. 게임을 불러올 수 있는지, 경기가 어떻게 실행되는지는
관리자 페이지에도 나와요.

  --json          JSON 배열로 출력해요
${DATA_DIR}`,
  'games new': `사용법: pitv games new <folder>

작동하는 작은 게임과 테스트, README가 든 폴더를 만들어요. 폴더의 이름이 게임의 id가 돼요: 소문자, 숫자,
하이픈.
`,
  'games pack': `사용법: pitv games pack <folder> [options]

pitv games add처럼 게임을 검사하고 NAME-VERSION.tgz로 묶어요. node_modules, 다른 .tgz 파일, 점으로 시작하는
이름은 빼요. TV의 관리자 페이지와 npm publish가 이 파일을 받아요.

  --out FILE  묶은 파일의 경로
`,
  'games remove': `사용법: pitv games remove <id> [options]

설치된 게임을 지워요. 진행 중인 경기는 끝날 때까지 계속돼요.

${DATA_DIR}`,
  'games test': `사용법: pitv games test <folder> [options]

TV 없이, 들어왔다 나가는 무작위 플레이어로 게임을 플레이하고 줄마다 판정을 출력해요. 게임은 오류 없이 실행되고,
올바른 프레임을 쓰고, 같은 실행을 똑같이 되풀이하고, 체크포인트에서 이어지고, 모든 엔진에서 같은 결과를 내야 해요.
기기마다 다른 함수를 쓰지 않고, 보드에서 충분히 빠르고, 메모리가 새지 않아야 해요.
다른 사람의 게임처럼 격리해서 실행해요. 판정 중 하나가 "fail"이면 종료 상태는 1이에요.

  --ticks N       실행 길이, 60..100000틱. 기본값 7200(2분)
  --seed N        이 시드로만 실행해요, 0..999999999. 기본값 1, 2, 3
  --board NAME    게임이 돌아가야 하는 가장 느린 보드: pi1 | pi2 | pi4. 기본값 pi1
  --node COMMAND  다른 Node.js로도 실행해요. 거기서는 게임이 격리되지 않아요. 여러 번 쓸 수 있어요
  --json          JSON 객체로 출력해요
  --untrusted-games locked | open
                  open: 격리할 수 없는 곳에서도 실행해요. 기본값은 pitv serve와 같음
`,
  'games update': `사용법: pitv games update [id] [options]

게임 하나 또는 모든 게임을 처음 온 곳(npm, .tgz 파일, 폴더)에서 다시 설치해요. 모든 게임일 때는 관리자 페이지에
업로드한 게임과 pitv에 들어 있던 게임은 빼요.

${DATA_DIR}`,
};

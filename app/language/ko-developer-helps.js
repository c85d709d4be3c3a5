/** Korean output of --help of the commands for developers. */

/** By command and subcommand. @type {Readonly<Record<string, string>>} */
export default {
  pad: `사용법: pitv pad --udp HOST[:PORT] --code CODE [options]

  --udp HOST[:PORT]   화면에 보이는 TV의 주소. TV가 HTTPS를 쓰면 앞에 https://를 붙이세요. 포트는
                      페이지의 포트이고 기본값은 8080이에요. 패드가 쓸 UDP 포트
                      (pitv serve --udp)는 TV가 알려 줘요
  --code CODE         화면에 보이는 참가 코드
  --name NAME         참가자 이름
  --game GAME         이 게임을 바로 시작해요
  --script FILE       키보드 대신 스크립트로 조작해요. -는 stdin

키: 화살표나 W A S D로 움직이고, Space나 J는 A, Enter나 K는 B, G는 게임 다시 시작, Q는 끝내기예요.

스크립트:
  start GAME      게임을 시작하고, 패드가 경기에 들어갈 때까지 기다려요
  match           패드가 경기에 들어갈 때까지 기다려요
  stick X Y       -127..127. 오른쪽과 아래가 양수예요
  hold a|b        release a|b        press a|b
  wait MS
  leave           끝내요
빈 줄과 #으로 시작하는 줄은 건너뛰어요.
`,
  udp: `사용법: pitv udp --key KEY [fields]       이 값들로 만든 데이터그램을 출력해요
       pitv udp --key KEY --read HEX     데이터그램의 값들을 출력하고 서명을 확인해요

  --key KEY       16진수 32자리. TV가 알려 줘요
  --match N       0..65535, 기본값 0
  --pad N         0..4294967295, 기본값 0
  --sequence N    1..4294967295, 기본값 1
  --slot N        0..255, 기본값 0
  --x N           -127..127, 기본값 0
  --y N           -127..127, 기본값 0
  --buttons N     0..3, 기본값 0
  --presses-a N   0..255, 기본값 0
  --presses-b N   0..255, 기본값 0
`,
  profile: `사용법: pitv profile [options]

TV를 하나 더 V8의 틱 프로파일러 아래에서 실행하고 부하를 준 다음, 스레드들이 어디에 시간을 썼는지
보여 줘요. JavaScript, C++, 가비지 컬렉션, 공유 라이브러리와, 가장 뜨거운 함수와 그 호출자가 나와요.

  --scenario NAME    login | lobby | match | collide. 기본값 login
                     login: 로그인, lobby: 페이지와 API, match: 패드가 있는 bumper, collide: 물체 2000개
  --seconds N        1..600, 기본값 20
  --connections N    1..256, 기본값 20
  --workers          경기의 워커도 프로파일해요
  --engine NAME      process | thread | zygote: 경기를 실행하는 엔진. 기본값은 process이고,
                     네이티브 애드온이 없으면 thread
  --hash HOW         pool | sync: login에서만. TV 자신은 동기식으로 해시하지 않아요
  -o, --out FILE     C++ 프레임이 있는 CPU 프로파일. Chrome DevTools, VS Code, speedscope에서 플레임 그래프로
                     볼 수 있어요. 기본값 pitv-profile-SCENARIO.cpuprofile. --workers이면 워커마다 파일이
                     하나 더 있어요. "-"이면 파일을 쓰지 않아요
  --json             JSON 객체 하나를 출력해요

login과 lobby에는 pitv의 선택 의존성인 autocannon이 필요해요. C++ 함수의 이름에는 nm(데비안 패키지 binutils)이
필요해요. 실행 중인 TV는 관리자 페이지에서 프로파일하세요.
`,
  ksm: `사용법: pitv ksm <command> [options]

커널의 같은 페이지 병합(KSM): 얼마나 아끼는지 보여 주고 ksmd를 제어해요.

명령
  status              프로세스마다 병합된 메모리와 그 비용을 보여 줘요
  watch               같은 것을 Ctrl-C를 누를 때까지 새로 보여 줘요
  on                  \`pitv ksm off\`까지 ksmd가 훑게 해요 (root)
  off                 \`on\` 이전의 설정으로 되돌리거나 ksmd를 멈춰요 (root)
  auto                프로세스가 시작될 때, 득이 되는 동안 훑어요. Ctrl-C나 SIGTERM이면
                      설정을 되돌려요 (root)
  diff PID PID        두 프로세스의 페이지를 매핑과 원인별로 비교해요

옵션
  --json              JSON 객체를 출력해요. watch와 auto는 한 줄에 하나
  --interval SECONDS  watch: 1..3600, 기본값 2
  --pages NUMBER      on: 한 번에 훑는 페이지, 1..1000000, 기본값 1000
  --sleep MS          on: 그 사이의 휴식, 1..60000, 기본값 20
  --sharers NUMBER    on, auto: 한 페이지를 함께 쓰는 최대 수, 2..1000000 (max_page_sharing)
  --unmerge           off: 병합된 페이지도 모두 나눠요
  --state-dir DIR     on, off, auto: 잠금과 원래 설정을 두는 폴더, 기본값 /run/pitv-ksm
  -h, --help          이 도움말을 보여 줘요

종료 상태: 0 성공, 1 실패, 2 잘못된 사용법.
`,
  'bench list': `pitv bench list
    시나리오 목록을 보여 줘요
`,
  'bench run': `pitv bench run <scenario>... [options]
    측정하고 표를 출력해요. Ctrl-C를 누르면 멈추고 그때까지의 표본은 남겨요
    --quick           한번 훑어보기: 30번 대신 더 짧은 3번, 준비 라운드 없음
    --runs N          설정마다 표본 수, 1..1000. 표본마다 새 프로세스. 기본값 30
    --engines A,B     이 엔진만: process, thread, zygote
    --workers 1,2,4   이 워커 수만, 각각 0..64. 0은 그것을 재는 시나리오에서만
    --levels A,B      이 단계만. 예: KSM의 off, mark, seeds, identical
    --seed N          무작위 순서의 시드, 0..4294967295. 기본값은 시계
    --json FILE       모든 결과를 써요
    --csv FILE        모든 표본을 한 줄에 하나씩 써요
    --html FILE       표와 그래프가 있는 페이지를 써요. 네트워크가 필요 없어요
    --publish NAME    표본을 커밋, 명령과 함께 bench/results/NAME.json.gz에 저장해요
`,
  'bench paper': `pitv bench paper [options]
    논문의 실험(startup, memory, runtime)을 되풀이하고 결과를 논문과 비교해요
    --out DIR         results.json, samples.csv, report.html과 임시 파일을 둘 폴더
    run의 옵션도 쓸 수 있어요.
`,
  'bench compare': `pitv bench compare A.json B.json [options]
    A에서 B로 무엇이 좋아지고 나빠졌는지 보여 줘요. 퇴보가 있으면 1로 끝나요
    --threshold N     퍼센트, 0..1000. 이보다 크게, 유의하게 나빠지면 퇴보예요. 기본값 5
`,
  'bench report': `pitv bench report A.json -o report.html
    JSON 파일로 --html의 페이지를 써요
pitv bench report A.json [B.json ...] -o table.md | --into FILE.md
    논문의 표를 Markdown으로 써요. 같은 기계에서 나눠 잰 부분은 하나로 합쳐요
    --into FILE.md    <!-- pitv bench: paper -->(또는 paper, short)와 <!-- end of pitv bench --> 사이에 써요.
                      여러 번 쓸 수 있어요
    --place NAME      대신 <!-- pitv bench: paper, NAME --> 자리를 채워요
`,
  'bench publish': `pitv bench publish [--check] [--json]
    bench/results의 표본으로 README.md와 docs/results의 표를 다시 만들어요. 표본이 없는 표나 숫자가 있거나,
    표가 재는 코드가 30일보다 전에 바뀌었으면 1로 끝나요
    --check           아무것도 쓰지 않고, 표가 달라도 1로 끝나요
    --json            표와 문제를 JSON으로 출력해요
pitv bench publish FILE.json --name NAME --command COMMAND
    에뮬레이션한 보드의 결과를 bench/results/NAME.json.gz에 저장해요. COMMAND는 그것을 잰 명령이에요
`,
  'bench doctor': `pitv bench doctor
    이 기계에서 측정을 흐리는 것과 그 해결 방법을 보여 줘요
`,
};

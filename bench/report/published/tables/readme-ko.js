/** Makes the table of results in README.ko.md. */
import { SOURCES, readmeTable } from '../readme-table.js';

export const sources = SOURCES;
export const isBrief = true;

/** @type {import('../readme-table.js').Words} */
const WORDS = {
  head: ['질문', '결과', '읽을 때 주의할 점'],
  lines: [
    {
      question: '워커가 [준비](docs/results/zygote.md)될 때까지 얼마나 걸리나요?',
      result:
        '자이고트 {demand zygote} ms, 스레드 {demand thread} ms, 프로세스 {demand process} ms',
      care: '이 워커를 위해 미리 준비한 것이 없을 때이며, 자이고트는 예열이 끝난 상태입니다. 기다리는 예비 워커가 있으면 차례로 {spare zygote}, {spare thread}, {spare process} ms입니다. 8개를 한꺼번에 시작하면 마지막까지 {burst zygote}, {burst thread}, {burst process} ms입니다.',
    },
    {
      question: '[게임](docs/results/paper-x64.md)이 하나 늘 때마다 메모리는 얼마나 더 드나요?',
      result: '자이고트 {game zygote} MiB, 스레드 {game thread} MiB, 프로세스 {game process} MiB',
      care: '커널이 버릴 수 있는 깨끗한 파일 페이지를 뺀 메모리입니다. 두 번째부터 네 번째 게임까지, 3초 플레이한 뒤의 평균입니다. 그 뒤에는 [더 늘어납니다](docs/results/zygote.md#what-a-game-adds-to-the-whole-tv). 자이고트는 프로세스를 하나 더 씁니다.',
    },
    {
      question: '게임 네 개에서 [KSM](docs/results/ksm.md)은 얼마나 아끼나요?',
      result: '`mark` {ksm mark} %, `seeds` {ksm seeds} %, `identical` {ksm identical} %',
      care: 'TV 전체의 회수할 수 없는 메모리에서, 같은 방식으로 시작하고 병합만 하지 않은 경우와 비교했습니다. root로 쟀습니다. `identical`은 ASLR을 끕니다.',
    },
    {
      question: '원 5,000개의 [충돌](docs/results/collision.md)을 모두 찾는 데 얼마나 걸리나요?',
      result: '{pitv} ms. 가장 빠른 라이브러리인 {library}는 {libraryMs} ms, C는 {c-native} ms',
      care: 'CPU 시간. 크기가 같고 고르게 흩어진 원입니다. 다른 분포는 그 문서에 있습니다. C는 `-O3 -march=native`로 컴파일했습니다.',
    },
  ],
};

/** @param {import('../../results.js').Results[]} files */
export const render = (files) => readmeTable(files, WORDS);

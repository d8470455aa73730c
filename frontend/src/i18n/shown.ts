function oneIn(every: number | null): string {
  return every === null ? '' : every === 2 ? 'every second one' : `one in ${every}`;
}

/** What is said of a long run of which not every turn and pass is shown. `every`: they are so many apart. */
export const shownEn = {
  turns: (shown: number, of: number) => `${shown} of ${of} shown`,
  turnsInFull: (shown: number, of: number, every: number | null) =>
    `The run has ${of} turns, ${shown} of them are shown` + (every ? `: ${oneIn(every)}.` : '.'),
  passes: (shown: number, of: number, every: number | null) =>
    `The run has ${of} backward passes, ${shown} of them are shown` + (every ? `: ${oneIn(every)}.` : '.'),
  done: (shown: number, of: number) =>
    `**Done.** All ${of} backward passes are complete; ${shown} of them are shown.`,
};

export type ShownMessages = typeof shownEn;

export const shownZh: ShownMessages = {
  turns: (shown, of) => `${of} 轮中显示 ${shown} 轮`,
  turnsInFull: (shown, of, every) =>
    `共运行 ${of} 轮，显示其中 ${shown} 轮` + (every ? `：每 ${every} 轮取一轮。` : '。'),
  passes: (shown, of, every) =>
    `共运行 ${of} 次反向传播，显示其中 ${shown} 次` + (every ? `：每 ${every} 次取一次。` : '。'),
  done: (shown, of) => `**完成。**${of} 次反向传播都已结束，显示其中 ${shown} 次。`,
};

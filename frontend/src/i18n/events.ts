/** What is said of events: writes, zeroing, optimizer steps, prints, hooks. Names come set as code. */
export const eventsEn = {
  step: (optimizer: string, names: string, change: string) =>
    `**Step.** \`${optimizer}\` changes ${names}${change}.`,
  zeroNone: (call: string, names: string) => `**Zero.** \`${call}\` sets ${names} to None.`,
  zeroZeros: (call: string, names: string) => `**Zero.** \`${call}\` sets ${names} to zeros.`,
  zeroing: 'zeroing',
  inPlace: (call: string, name: string, change: string) =>
    `**Write.** \`${call}\` changes ${name}${change} in place.`,
  throughData: (call: string, name: string, change: string) =>
    `**Write.** \`${call}\` changes ${name}${change} through \`.data\`; autograd does not see it.`,
  underNoGrad: (call: string, name: string, change: string) =>
    `**Write.** \`${call}\` changes ${name}${change} under \`no_grad\`; no function is recorded.`,
  intoGrad: (call: string, name: string, change: string) =>
    `**Write.** \`${call}\` changes ${name}${change}.`,
  change: (from: string, to: string) => ` from ${from} to ${to}`,
  print: (text: string) => `**Print.** The program prints \`${text}\`.`,
  printNothing: '**Print.** The program prints an empty line.',
  hookChanges: (name: string, before: string, after: string) =>
    `**Hook.** The hook of \`${name}\` turns \`${before}\` into \`${after}\`.`,
  hookOn: (name: string) => `**Hook.** The hook of \`${name}\` runs.`,
  hook: '**Hook.** A hook of the program runs.',
  mark: (code: string) => `**Setting.** \`${code}\` changes no value, only what follows.`,
  comma: ', ',
  and: (names: string, last: string) => `${names} and ${last}`,
  andMore: (names: string, more: number) => `${names} and ${more} more`,
  labels: {
    write: (name: string) => `write \`${name}\``,
    zero: 'zero',
    step: 'step',
    print: 'print',
    hook: 'hook',
    mark: 'setting',
  },
  ownRule: (fn: string, gradFn: string) =>
    `**Rule.** \`${gradFn}\` runs on it the \`backward\` that the program wrote for \`${fn}\`.`,
  titles: { write: 'write', zero: 'zeroing', print: 'print', hook: 'hook', mark: 'setting' },
  update: 'The update',
  normOfChange: 'norm of the change',
  bucket: 'The bucket',
  bucketEmpty: 'is empty',
  keepsUntilTurn: (norm: string, turn: number) => `keeps its ${norm} until turn ${turn}`,
  keepsUntilLine: (norm: string, line: number) => `keeps its ${norm} until line ${line}`,
  keepsToEnd: (norm: string) => `keeps its ${norm} to the end`,
  graph: 'The graph',
  notRecorded: 'not recorded, not differentiated',
  distance: 'Distance moved',
  texBefore: '\\text{before}',
  texAfter: '\\text{after}',
  letters: '`θ` is the parameter, `g` its `.grad`.',
  settings: 'Settings',
  changed: 'Changed',
  zeroed: 'Zeroed, with the norm before',
  written: 'Written',
  noteTitle: 'Note',
};

export type EventMessages = typeof eventsEn;

/** A space behind a name, none behind a Chinese word. */
const spaced = (names: string): string => (names.endsWith('个') ? names : `${names} `);

export const eventsZh: EventMessages = {
  step: (optimizer, names, change) => `**更新。**\`${optimizer}\` 更新 ${names}${change}。`,
  zeroNone: (call, names) => `**清零。**\`${call}\` 把 ${spaced(names)}设为 None。`,
  zeroZeros: (call, names) => `**清零。**\`${call}\` 把 ${spaced(names)}设为零。`,
  zeroing: '清零',
  inPlace: (call, name, change) => `**写入。**\`${call}\` 原地修改 ${name}${change}。`,
  throughData: (call, name, change) =>
    `**写入。**\`${call}\` 通过 \`.data\` 修改 ${name}${change}，自动求导看不到。`,
  underNoGrad: (call, name, change) =>
    `**写入。**\`${call}\` 在 \`no_grad\` 下修改 ${name}${change}，不记录函数。`,
  intoGrad: (call, name, change) => `**写入。**\`${call}\` 修改 ${name}${change}。`,
  change: (from, to) => `，从 ${from} 变为 ${to}`,
  print: (text) => `**打印。**程序打印 \`${text}\`。`,
  printNothing: '**打印。**程序打印一个空行。',
  hookChanges: (name, before, after) => `**钩子。**\`${name}\` 的钩子把 \`${before}\` 变成 \`${after}\`。`,
  hookOn: (name) => `**钩子。**\`${name}\` 的钩子运行。`,
  hook: '**钩子。**程序的一个钩子运行。',
  mark: (code) => `**设置。**\`${code}\` 不改变数值，只影响之后的步骤。`,
  comma: '、',
  and: (names, last) => `${names} 和 ${last}`,
  andMore: (names, more) => `${names} 和另外 ${more} 个`,
  labels: {
    write: (name) => `写入 \`${name}\``,
    zero: '清零',
    step: '更新',
    print: '打印',
    hook: '钩子',
    mark: '设置',
  },
  ownRule: (fn, gradFn) => `**规则。**\`${gradFn}\` 对它运行程序为 \`${fn}\` 编写的 \`backward\`。`,
  titles: { write: '写入', zero: '清零', print: '打印', hook: '钩子', mark: '设置' },
  update: '更新规则',
  normOfChange: '变化的范数',
  bucket: '梯度桶',
  bucketEmpty: '是空的',
  keepsUntilTurn: (norm, turn) => `保留 ${norm}，直到第 ${turn} 轮`,
  keepsUntilLine: (norm, line) => `保留 ${norm}，直到第 ${line} 行`,
  keepsToEnd: (norm) => `保留 ${norm}，直到结束`,
  graph: '计算图',
  notRecorded: '不记录，也不求导',
  distance: '移动的距离',
  texBefore: '\\text{之前}',
  texAfter: '\\text{之后}',
  letters: '`θ` 是参数，`g` 是它的 `.grad`。',
  settings: '设置',
  changed: '已更新',
  zeroed: '已清零，附之前的范数',
  written: '已写入',
  noteTitle: '说明',
};

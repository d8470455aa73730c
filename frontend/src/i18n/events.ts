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
  titles: { write: 'write', zero: 'zeroing', print: 'print', hook: 'hook', mark: 'setting' },
  rule: 'How one element changes',
  letters: '`θ` is the parameter, `g` its `.grad`.',
  settings: 'Settings',
  changed: 'Changed',
  zeroed: 'Zeroed',
  written: 'Written',
  noteTitle: 'Note',
};

export type EventMessages = typeof eventsEn;

export const eventsZh: EventMessages = {
  step: (optimizer, names, change) => `**更新。**\`${optimizer}\` 更新 ${names}${change}。`,
  zeroNone: (call, names) => `**清零。**\`${call}\` 把 ${names} 设为 None。`,
  zeroZeros: (call, names) => `**清零。**\`${call}\` 把 ${names} 设为零。`,
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
  titles: { write: '写入', zero: '清零', print: '打印', hook: '钩子', mark: '设置' },
  rule: '每个元素如何变化',
  letters: '`θ` 是参数，`g` 是它的 `.grad`。',
  settings: '设置',
  changed: '已更新',
  zeroed: '已清零',
  written: '已写入',
  noteTitle: '说明',
};

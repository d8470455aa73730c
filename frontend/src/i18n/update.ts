/** What is said of the picture of an update, from every bucket into its value. */
export const updateEn = {
  label: 'Update of the leaves',
  state: (optimizer: string, names: string) =>
    `**State.** \`${optimizer}\` first renews what it keeps for each leaf: ${names}.`,
  flow: (optimizer: string, rate: string | null, n: number) => {
    const what = rate ? `, times −${rate},` : '';
    const by = rate ? '' : `What \`${optimizer}\` makes of `;
    if (n === 1) return `**Flow.** ${by}${by ? 'the' : 'The'} bucket${what} flows into its value.`;
    return `**Flow.** ${by}${by ? 'every' : 'Every'} bucket${what} flows into its value: ${n} leaves at once.`;
  },
  byHand: (code: string, name: string) =>
    `**Flow.** \`${code}\` takes the bucket of ${name} into its value; no function is recorded.`,
  write: (n: number) =>
    n === 1
      ? '**Write.** The value is new; the bucket stays full until it is zeroed.'
      : `**Write.** ${n} values are new; the buckets stay full until they are zeroed.`,
  labels: {
    read: 'read `.grad`',
    state: 'renew the state',
    flow: 'flow into the values',
    write: 'write the values',
  },
  times: (rate: string) => `−${rate} · .grad`,
  change: 'change',
  value: 'value',
  chain: 'What this turn computed',
  where: 'Where this is in the run',
};

export type UpdateMessages = typeof updateEn;

export const updateZh: UpdateMessages = {
  label: '叶子张量的更新',
  state: (optimizer, names) => `**状态。**\`${optimizer}\` 先更新为每个叶子张量保存的状态：${names}。`,
  flow: (optimizer, rate, n) => {
    const what = rate ? `梯度桶乘以 −${rate} 后` : `\`${optimizer}\` 由梯度桶算出的量`;
    return n === 1
      ? `**流入。**${what}流入它的值。`
      : `**流入。**对每个叶子张量，${what}流入它的值：${n} 个叶子张量同时进行。`;
  },
  byHand: (code, name) => `**流入。**\`${code}\` 把 ${name} 的梯度桶带入它的值，不记录函数。`,
  write: (n) =>
    n === 1
      ? '**写入。**值已更新；梯度桶保持不变，直到清零。'
      : `**写入。**${n} 个值已更新；梯度桶保持不变，直到清零。`,
  labels: {
    read: '读取 `.grad`',
    state: '更新状态',
    flow: '流入数值',
    write: '写入数值',
  },
  times: (rate) => `−${rate} · .grad`,
  change: '变化',
  value: '数值',
  chain: '这一轮计算了什么',
  where: '在运行中的位置',
};

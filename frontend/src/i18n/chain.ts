/** What is said of turns that read each other. Names come set as code. */
export const chainEn = {
  label: 'Turns of the chain',
  title: (name: string) => `Norm of the gradient of \`${name}\``,
  plain: (name: string) => `Turns that hand on \`${name}\``,
  scale: 'after each turn, log scale',
  shrinks: (from: number, to: number, times: string) =>
    `from turn ${from} to turn ${to} it shrinks ${times} times`,
  grows: (from: number, to: number, times: string) =>
    `from turn ${from} to turn ${to} it grows ${times} times`,
  stays: (from: number, to: number) => `from turn ${from} to turn ${to} it stays the same`,
  turn: (n: number) => `turn ${n}`,
  turns: (from: number, to: number) => `turns ${from} to ${to}`,
  norm: (what: string, norm: string) => `${what}, norm ${norm}`,
  ahead: (what: string) => `${what}, not reached yet`,
};

export type ChainMessages = typeof chainEn;

export const chainZh: ChainMessages = {
  label: '链条中的各轮',
  title: (name) => `\`${name}\` 的梯度范数`,
  plain: (name) => `依次传递 \`${name}\` 的各轮`,
  scale: '每轮之后，对数刻度',
  shrinks: (from, to, times) => `从第 ${from} 轮到第 ${to} 轮缩小到 1/${times}`,
  grows: (from, to, times) => `从第 ${from} 轮到第 ${to} 轮增大到 ${times} 倍`,
  stays: (from, to) => `从第 ${from} 轮到第 ${to} 轮保持不变`,
  turn: (n) => `第 ${n} 轮`,
  turns: (from, to) => `第 ${from} 到 ${to} 轮`,
  norm: (what, norm) => `${what}，范数 ${norm}`,
  ahead: (what) => `${what}，尚未到达`,
};

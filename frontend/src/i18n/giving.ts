/** Texts of the gradient that a reader gives. Names and texts in them are the program's. */
export const givingEn = {
  here: 'given here, not in the program',
  instead: (text: string, line: number) => `given here, in place of \`${text}\` in line ${line}`,
  alone: (text: string, line: number) =>
    `given here for this pass alone, in place of \`${text}\` in line ${line}`,
  replaces: (text: string) => `Replaces \`${text}\` in the program; undo brings it back.`,
  wrongShape: (line: number) => `of another shape in line ${line}`,
  reshape: (name: string) =>
    `A gradient has the shape of \`${name}\`, one weight for each of its elements. Fill in a number: the weights take the place of the argument, and the pass plays.`,
  shapeSentence: (name: string, shape: string) =>
    `**Forward is done, the gradient does not fit.** It has to have the shape of \`${name}\`, ${shape}: one weight for each element of the output.`,
  seedShape: 'wrong shape',
  weightOf: (element: string) => `weight of ${element}`,
  page: 'All about it',
  numpy: (name: string) =>
    `\`${name}\` is NumPy. It runs here, and no gradient flows through it: what has to be differentiated is written with torch.`,
  library: (name: string, library: string) =>
    `\`${name}\` is ${library}, another library. Gradflow runs PyTorch: what begins with \`torch.\` is known here.`,
};

export const givingZh: typeof givingEn = {
  here: '在此给出，不在程序里',
  instead: (text, line) => `在此给出，代替第 ${line} 行的 \`${text}\``,
  alone: (text, line) => `在此给出，只用于这一次反向传播，代替第 ${line} 行的 \`${text}\``,
  replaces: (text) => `取代了程序里的 \`${text}\`；撤销可以还原。`,
  wrongShape: (line) => `第 ${line} 行的形状不对`,
  reshape: (name) =>
    `梯度的形状就是 \`${name}\` 的形状，每个元素一个权重。填入一个数：这些权重会取代原来的参数，然后播放这次反向传播。`,
  shapeSentence: (name, shape) =>
    `**前向完成了，梯度却对不上。**它必须和 \`${name}\` 形状相同，即 ${shape}：输出的每个元素一个权重。`,
  seedShape: '形状不对',
  weightOf: (element) => `${element} 的权重`,
  page: '详细说明',
  numpy: (name) => `\`${name}\` 是 NumPy。它可以运行，但梯度不会流过它：要求导的部分请用 torch 写。`,
  library: (name, library) =>
    `\`${name}\` 是 ${library}，另一个库。Gradflow 运行的是 PyTorch：这里认识 \`torch.\` 开头的名字。`,
};

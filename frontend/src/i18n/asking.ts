/** What the page says of Predict before it is opened. */
export const askingEn = {
  button: 'Predict',
  none: 'There is no gradient to ask for: the program runs no backward pass.',
  printed: 'What is printed from the pass on is hidden until all cells are right.',
  view: 'This view would give the answer away. It comes back when all cells are right.',
};

export const askingZh: typeof askingEn = {
  button: '预测',
  none: '没有可问的梯度：程序没有运行反向传播。',
  printed: '全部答对之前，反向传播以后打印的内容是隐藏的。',
  view: '这个视图会泄露答案。全部答对后再显示。',
};

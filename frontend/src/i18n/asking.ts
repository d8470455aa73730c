/** What the page says of Predict before it is opened. */
export const askingEn = {
  button: 'Predict',
  none: 'There is no gradient to ask for: the program runs no backward pass.',
  printed: 'What is printed from the gradient on is hidden until all cells are right.',
  hiddenPrint: 'hidden, it would tell the answer',
  view: 'This view would give the answer away. It comes back when all cells are right.',
};

export const askingZh: typeof askingEn = {
  button: '预测',
  none: '没有可问的梯度：程序没有运行反向传播。',
  printed: '全部答对之前，由这个梯度得来的输出是隐藏的。',
  hiddenPrint: '已隐藏，否则会泄露答案',
  view: '这个视图会泄露答案。全部答对后再显示。',
};

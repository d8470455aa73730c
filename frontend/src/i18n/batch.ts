/** What is said of a pass that PyTorch runs for a whole batch at once, and that is told row by row. */
export const batchEn = {
  label: 'Row of the batch',
  row: (n: number, of: number) => `row ${n} of ${of}`,
  within: (inner: string, outer: string) => `${inner}, in ${outer}`,
  previous: 'Previous row',
  next: 'Next row',
  why: (of: number) => `PyTorch computes the ${of} rows in one pass; here each is told by itself`,
  whyOne: 'PyTorch computes it as a batch of one row',
};

export type BatchMessages = typeof batchEn;

export const batchZh: BatchMessages = {
  label: '批次中的行',
  row: (n, of) => `第 ${n} 行，共 ${of} 行`,
  within: (inner, outer) => `${inner}（在${outer}之中）`,
  previous: '上一行',
  next: '下一行',
  why: (of) => `PyTorch 用一次反向计算全部 ${of} 行，这里逐行讲述`,
  whyOne: 'PyTorch 把它作为只有一行的批次来计算',
};

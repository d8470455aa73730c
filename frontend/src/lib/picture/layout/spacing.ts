/** From a frame to what it holds, and from that to its shelf; and between the rows of a shelf. */
export const INSIDE = { side: 12, top: 12, bottom: 12, shelf: 26, rows: 8 };

/** From a node to what stands beside it. */
export const BESIDE = 30;

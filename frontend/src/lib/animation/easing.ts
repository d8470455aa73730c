/** A CSS `cubic-bezier(x1, y1, x2, y2)` as a function from 0..1 to 0..1. */
function cubicBezier(x1: number, y1: number, x2: number, y2: number): (t: number) => number {
  const at = (a: number, b: number, s: number) => 3 * a * s * (1 - s) ** 2 + 3 * b * s * s * (1 - s) + s ** 3;
  return (t) => {
    if (t <= 0) return 0;
    if (t >= 1) return 1;
    let low = 0;
    let high = 1;
    for (let k = 0; k < 24; k += 1) {
      const middle = (low + high) / 2;
      if (at(x1, x2, middle) < t) low = middle;
      else high = middle;
    }
    return at(y1, y2, (low + high) / 2);
  };
}

/** The easing of each segment. Easing belongs to the segment, so scrubbing passes through the same pictures as playing. */
export const ease = {
  arrive: cubicBezier(0.2, 0.7, 0.2, 1),
  rule: cubicBezier(0.4, 0, 0.2, 1),
  send: cubicBezier(0.45, 0.05, 0.25, 1),
  sink: cubicBezier(0.5, 0, 0.9, 0.4),
  settle: cubicBezier(0.2, 0.7, 0.2, 1),
};

/** How far `t` is between two points, cut to 0..1. */
export function between(t: number, from: number, to: number): number {
  return Math.max(0, Math.min(1, (t - from) / (to - from)));
}

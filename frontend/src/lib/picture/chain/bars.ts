/** A bar of a chart, in pixels: its left edge, width and height above the line it stands on. */
export interface Bar {
  x: number;
  wide: number;
  tall: number;
}

/** Bars that stand on a line, as the data of one SVG path: many of them are one element of the page. */
export function barsPath(bars: readonly Bar[], ground: number): string {
  return bars.map((bar) => barPath(bar, ground)).join('');
}

function barPath({ x, wide, tall }: Bar, ground: number): string {
  const r = rounded(Math.min(4, wide / 3, tall / 2));
  const [left, top, right] = [rounded(x), rounded(ground - tall), rounded(x + wide)];
  if (r < 1) return `M${left} ${ground}V${top}H${right}V${ground}Z`;
  const corner = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
  return (
    `M${left} ${rounded(top + r)}${corner(r, -r)}H${rounded(right - r)}${corner(r, r)}` +
    `V${rounded(ground - r)}${corner(-r, r)}H${rounded(left + r)}${corner(-r, -r)}Z`
  );
}

function rounded(x: number): number {
  return Math.round(x * 100) / 100;
}

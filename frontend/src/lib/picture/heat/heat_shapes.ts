import type { HeatCells } from './heat_map';

/** Cells of one colour, as the data of an SVG path. */
export interface HeatShape {
  colour: string;
  d: string;
}

/** Between beads, on each side of one, in pixels. */
const GAP = 1;
const RADIUS = 2.5;
/** Beads stand apart where a cell is at least so wide and high. */
const WITH_GAPS = 6;

/** The cells of a heat map of this size in pixels, gathered by colour. What has no colour is left out. */
export function heatShapes(
  { rows, cols, heat }: HeatCells,
  colour: (heat: number) => string,
  size: { width: number; height: number },
  beads: boolean,
): HeatShape[] {
  const [wide, tall] = [size.width / cols, size.height / rows];
  const apart = beads && wide >= WITH_GAPS && tall >= WITH_GAPS;
  const shapes = new Map<string, string>();
  for (let row = 0; row < rows; row += 1)
    for (let col = 0; col < cols; col += 1) {
      const first = col;
      const fill = colour(heat[row * cols + col]!);
      if (!apart) while (col + 1 < cols && colour(heat[row * cols + col + 1]!) === fill) col += 1;
      if (fill === 'transparent') continue;
      const [left, top] = [rounded(first * wide), rounded(row * tall)];
      const [right, bottom] = [rounded((col + 1) * wide), rounded((row + 1) * tall)];
      const d = apart ? bead(left, top, right, bottom) : `M${left} ${top}H${right}V${bottom}H${left}Z`;
      shapes.set(fill, (shapes.get(fill) ?? '') + d);
    }
  return [...shapes].map(([colour, d]) => ({ colour, d }));
}

function bead(left: number, top: number, right: number, bottom: number): string {
  const [width, height] = [right - left - 2 * GAP, bottom - top - 2 * GAP];
  const r = rounded(Math.min(RADIUS, width / 3, height / 3));
  const [w, h] = [rounded(width - 2 * r), rounded(height - 2 * r)];
  const turn = (x: number, y: number) => `a${r} ${r} 0 0 1 ${x} ${y}`;
  return (
    `M${rounded(left + GAP + r)} ${rounded(top + GAP)}h${w}${turn(r, r)}v${h}${turn(-r, r)}` +
    `h${-w}${turn(-r, -r)}v${-h}${turn(r, -r)}Z`
  );
}

function rounded(x: number): number {
  return Math.round(x * 100) / 100;
}

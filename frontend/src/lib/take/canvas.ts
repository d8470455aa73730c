import type { Box, Mark, RectMark, Stroke } from './marks';

/** Draws marks on a white canvas of `box`, at `density` pixels for one of the page. */
export function drawMarks(
  canvas: HTMLCanvasElement,
  marks: readonly Mark[],
  box: Box,
  density: number,
): void {
  canvas.width = Math.round(box.width * density);
  canvas.height = Math.round(box.height * density);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return;
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(density, 0, 0, density, -box.x * density, -box.y * density);
  draw(context, marks);
}

function draw(context: CanvasRenderingContext2D, marks: readonly Mark[]): void {
  for (const mark of marks) {
    context.save();
    if (mark.kind === 'clip') {
      context.beginPath();
      context.roundRect(mark.box.x, mark.box.y, mark.box.width, mark.box.height, mark.radii);
      context.clip();
      draw(context, mark.marks);
    } else {
      context.globalAlpha = mark.opacity;
      drawOne(context, mark);
    }
    context.restore();
  }
}

function drawOne(context: CanvasRenderingContext2D, mark: Exclude<Mark, { kind: 'clip' }>): void {
  const { x, width } = mark.box;
  if (mark.kind === 'text') {
    context.font = `${mark.style} ${mark.weight} ${mark.size}px ${mark.family}`;
    context.fillStyle = mark.fill;
    const natural = context.measureText(mark.text).width;
    // Figures of one width, which a canvas does not know: what they are wider stands between and around them.
    const apart = (width - natural) / [...mark.text].length;
    context.letterSpacing = `${apart}px`;
    context.fillText(mark.text, x + apart / 2, mark.baseline);
  } else {
    const path = mark.kind === 'path' ? new Path2D(mark.d) : rectangle(mark);
    if (mark.kind === 'path') context.transform(...mark.transform);
    if (mark.fill) {
      context.fillStyle =
        typeof mark.fill === 'string' ? mark.fill : rampFill(context, mark.box, mark.fill.colours);
      context.fill(path);
    }
    if (mark.stroke) stroke(context, path, mark.stroke);
  }
}

function rectangle({ box: { x, y, width, height }, radii }: RectMark): Path2D {
  const path = new Path2D();
  path.roundRect(x, y, width, height, radii);
  return path;
}

function rampFill(context: CanvasRenderingContext2D, { x, width }: Box, colours: string[]): CanvasGradient {
  const ramp = context.createLinearGradient(x, 0, x + width, 0);
  colours.forEach((colour, k) => ramp.addColorStop(k / (colours.length - 1), colour));
  return ramp;
}

function stroke(context: CanvasRenderingContext2D, path: Path2D, { colour, width, dash, cap }: Stroke): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineCap = cap;
  context.setLineDash(dash);
  context.stroke(path);
}

import type { Box, Mark, RectMark, Stroke, TextMark } from './marks';

/** Two decimals are a hundredth of a pixel. */
function short(number: number): string {
  return String(Math.round(number * 100) / 100);
}

/** XML has no place for control characters, not even escaped. */
function isAllowed(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return code >= 0x20 ? code !== 0xfffe && code !== 0xffff : '\t\n\r'.includes(letter);
}

function escaped(text: string): string {
  const letters = [...text].map((letter) => (isAllowed(letter) ? letter : '\ufffd')).join('');
  return letters
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Collects what is named once in a drawing: ramps and clips. */
class Names {
  readonly texts: string[] = [];

  add(make: (id: string) => string): string {
    const id = `d${this.texts.length}`;
    this.texts.push(make(id));
    return id;
  }
}

/** Marks as an SVG document of `box` on white, with `title` for those who hear it and `fonts` as style sheet. */
export function svgOf(marks: readonly Mark[], box: Box, title: string, fonts = ''): string {
  const names = new Names();
  const body = marks.map((mark) => one(mark, names)).join('\n');
  const { x, y, width, height } = box;
  const view = [x, y, width, height].map(short).join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    fonts ? `<style>${fonts}</style>` : '',
    names.texts.length > 0 ? `<defs>${names.texts.join('')}</defs>` : '',
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#fff"/>`,
    '<g style="font-variant-numeric: tabular-nums">',
    body,
    '</g>',
    '</svg>\n',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function one(mark: Mark, names: Names): string {
  if (mark.kind === 'clip') {
    const id = names.add((name) => `<clipPath id="${name}">${rectangle(mark, '')}</clipPath>`);
    return `<g clip-path="url(#${id})">${mark.marks.map((each) => one(each, names)).join('\n')}</g>`;
  }
  const faint = mark.opacity < 1 ? ` opacity="${short(mark.opacity)}"` : '';
  if (mark.kind === 'text') return text(mark, faint);
  const look = `${fillOf(mark.fill, names)}${strokeOf(mark.stroke)}${faint}`;
  if (mark.kind === 'rect') return rectangle(mark, look);
  return `<path d="${escaped(mark.d)}" transform="matrix(${mark.transform.map(short).join(' ')})"${look}/>`;
}

function place({ x, y, width, height }: Box): string {
  return `x="${short(x)}" y="${short(y)}" width="${short(Math.max(0, width))}" height="${short(Math.max(0, height))}"`;
}

function rectangle({ box, radii }: Pick<RectMark, 'box' | 'radii'>, look: string): string {
  const [radius] = radii;
  const least = Math.min(box.width, box.height) / 2;
  if (radii.every((each) => each === radius)) {
    const round = radius > 0 ? ` rx="${short(Math.min(radius, least))}"` : '';
    return `<rect ${place(box)}${round}${look}/>`;
  }
  const [tl, tr, br, bl] = radii.map((each) => Math.min(each, least)) as RectMark['radii'];
  const { x, y, width, height } = box;
  const arc = (r: number, dx: number, dy: number) =>
    r > 0 ? `a${short(r)} ${short(r)} 0 0 1 ${short(dx)} ${short(dy)}` : '';
  const d = [
    `M${short(x + tl)} ${short(y)}h${short(width - tl - tr)}${arc(tr, tr, tr)}`,
    `v${short(height - tr - br)}${arc(br, -br, br)}h${short(br + bl - width)}${arc(bl, -bl, -bl)}`,
    `v${short(bl + tl - height)}${arc(tl, tl, -tl)}Z`,
  ];
  return `<path d="${d.join('')}"${look}/>`;
}

/** Opacity apart: not every program knows colours of eight digits. */
function colour(name: 'fill' | 'stroke' | 'stop-color', hex: string): string {
  const alpha = hex.length > 7 ? Number.parseInt(hex.slice(7, 9), 16) / 255 : 1;
  const opacity = name === 'stop-color' ? 'stop-opacity' : `${name}-opacity`;
  return ` ${name}="${hex.slice(0, 7)}"${alpha < 1 ? ` ${opacity}="${short(alpha)}"` : ''}`;
}

function fillOf(fill: RectMark['fill'], names: Names): string {
  if (fill === null) return ' fill="none"';
  if (typeof fill === 'string') return colour('fill', fill);
  const last = fill.colours.length - 1;
  const stops = fill.colours.map(
    (each, k) => `<stop offset="${short(k / last)}"${colour('stop-color', each)}/>`,
  );
  return ` fill="url(#${names.add((id) => `<linearGradient id="${id}">${stops.join('')}</linearGradient>`)})"`;
}

function strokeOf(stroke: Stroke | null): string {
  if (!stroke) return '';
  const dash = stroke.dash.length > 0 ? ` stroke-dasharray="${stroke.dash.map(short).join(' ')}"` : '';
  const cap = stroke.cap === 'butt' ? '' : ` stroke-linecap="${stroke.cap}"`;
  return `${colour('stroke', stroke.colour)} stroke-width="${short(stroke.width)}"${dash}${cap}`;
}

/** `textLength` keeps the width where a program has not the font. */
function text(mark: TextMark, faint: string): string {
  const slant = mark.style === 'normal' ? '' : ` font-style="${mark.style}"`;
  const font = `font-family="${escaped(mark.family.replaceAll('"', "'"))}" font-size="${short(mark.size)}" font-weight="${mark.weight}"${slant}`;
  const at = `x="${short(mark.box.x)}" y="${short(mark.baseline)}"`;
  const fixed = mark.text.length > 1 ? ` textLength="${short(mark.box.width)}" lengthAdjust="spacing"` : '';
  return `<text ${at}${fixed} ${font}${colour('fill', mark.fill)}${faint}>${escaped(mark.text)}</text>`;
}

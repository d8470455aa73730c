import { splitList } from './colours';
import type { Mark, TextMark } from './marks';

function textsIn(marks: readonly Mark[]): TextMark[] {
  return marks.flatMap((mark) =>
    mark.kind === 'clip' ? textsIn(mark.marks) : mark.kind === 'text' ? [mark] : [],
  );
}

function faces(): CSSFontFaceRule[] {
  return [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].filter((rule) => rule instanceof CSSFontFaceRule),
  );
}

function nameOf(family: string): string {
  return family.trim().replaceAll(/^["']|["']$/g, '');
}

/** Does a face serve a weight? Without bounds it is for one weight, with them for all between. */
function serves(weights: string, weight: number): boolean {
  const [from = 400, to = from] = weights
    .split(' ')
    .map((word) => (word === 'normal' ? 400 : Number(word) || 400));
  return from <= weight && weight <= to;
}

async function dataUrl(address: string): Promise<string> {
  const blob = await (await fetch(address)).blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** The page's fonts, as far as marks are written in them, as a style sheet that has them in itself. */
export async function fontsOf(marks: readonly Mark[]): Promise<string> {
  const texts = textsIn(marks);
  const used = faces().filter(({ style }) => {
    const family = nameOf(style.getPropertyValue('font-family'));
    const range = style.getPropertyValue('unicode-range');
    return texts.some(
      (text) =>
        splitList(text.family).some((each) => nameOf(each) === family) &&
        serves(style.getPropertyValue('font-weight'), Number(text.weight)) &&
        (style.getPropertyValue('font-style') || 'normal') === text.style &&
        (range === '' || [...text.text].some((letter) => isIn(range, letter.codePointAt(0) ?? 0))),
    );
  });
  const sheets = await Promise.all(
    used.map(async ({ style, parentStyleSheet }) => {
      const source = /url\("?([^")]+)"?\)/.exec(style.getPropertyValue('src'))?.[1];
      if (!source) return '';
      const address = new URL(source, parentStyleSheet?.href ?? document.baseURI).href;
      const descriptors = ['font-family', 'font-style', 'font-weight', 'unicode-range']
        .map((name) => [name, style.getPropertyValue(name)] as const)
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `${name}:${value};`);
      return `@font-face{${descriptors.join('')}src:url(${await dataUrl(address)}) format('woff2');}`;
    }),
  );
  return sheets.join('');
}

/** Is a letter in a `unicode-range`? */
function isIn(range: string, letter: number): boolean {
  return splitList(range).some((part) => {
    const [from = 0, to = from] = part
      .replace(/^U\+/i, '')
      .split('-')
      .map((code) => Number.parseInt(code, 16));
    return from <= letter && letter <= to;
  });
}

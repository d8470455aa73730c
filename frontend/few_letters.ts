import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import katex from 'katex';
import subset from 'subset-font';

const source = fileURLToPath(new URL('src/', import.meta.url));
const rules = fileURLToPath(new URL('src/fixtures/rules.json', import.meta.url));

/** What a program, a number and a name may be written in. */
const ASCII = String.fromCharCode(...Array.from({ length: 95 }, (_, k) => 0x20 + k));

/** A column taller than any of KaTeX's brackets: these are made of pieces then. */
const TALL = `\\begin{matrix} ${Array.from({ length: 12 }, () => 'x').join('\\\\')} \\end{matrix}`;

/** Everything that stands in the page's own texts. */
function textsOfPage(): string {
  return readdirSync(source, { recursive: true, encoding: 'utf-8' })
    .filter((name) => /\.(?:ts|svelte)$/.test(name) && !name.includes('.test.'))
    .map((name) => readFileSync(source + name, 'utf-8'))
    .join('');
}

/** The letters that KaTeX sets a formula in; none where it is not a formula. */
function lettersOf(tex: string): string {
  try {
    return katex.renderToString(tex, { output: 'html', strict: 'ignore' }).replaceAll(/<[^>]*>/g, '');
  } catch {
    return '';
  }
}

/** The letters of every command that a rule or the page writes, alone and over something, and of brackets of every size. */
function lettersOfFormulas(texts: string): string {
  const commands = new Set((readFileSync(rules, 'utf-8') + texts).match(/\\\\[A-Za-z]+/g));
  const forms = [...commands].flatMap((each) =>
    ['', '{x}', '{x}{y}', '_{x}^{y}'].map((rest) => each.slice(1) + rest),
  );
  const brackets = ['()', '[]', '\\{\\}', '||', '\\|\\|', '\\lfloor\\rfloor', '\\lceil\\rceil'].flatMap(
    (pair) => {
      const [open = '', close = ''] = pair.match(/\\?(?:[a-z]+|.)/g) ?? [];
      return ['x', '\\frac{x}{y}', '\\sum_{x}^{y}', '\\frac{\\sum_{x}^{y}}{\\frac{x}{y}}', TALL].map(
        (inside) => `\\left${open} ${inside} \\right${close}`,
      );
    },
  );
  return [...forms, ...brackets].map(lettersOf).join('');
}

/** The style sheet with its fonts cut down to the letters that it needs: names in others take the reader's own font. */
export async function withFewLetters(style: string): Promise<string> {
  const texts = textsOfPage();
  const [ofTexts, ofFormulas] = [ASCII + texts, ASCII + lettersOfFormulas(texts)];
  const parts = style.split(/(@font-face\s*\{[^}]*\})/);
  return (
    await Promise.all(
      parts.map((part) =>
        part.startsWith('@font-face') ? cut(part, part.includes('KaTeX') ? ofFormulas : ofTexts) : part,
      ),
    )
  ).join('');
}

async function cut(face: string, letters: string): Promise<string> {
  const [, data] = /data:font\/woff2;base64,([^)"']*)/.exec(face) ?? [];
  if (data === undefined) throw new Error(`no font inside of ${face.slice(0, 200)}`);
  const font = await subset(Buffer.from(data, 'base64'), letters, {
    targetFormat: 'woff2',
    ...(face.includes('100 900') ? { variationAxes: { wght: { min: 400, max: 600 } } } : {}),
    // The page joins no letters.
    noLayoutClosure: !face.includes('Inter'),
  });
  return face.replace(data, font.toString('base64'));
}

/**
 * An optimizer's rule for one element, read from its LaTeX: it can be written as code and worked out with numbers. What
 * cannot be read (cases, sums over more than one line) stays LaTeX.
 */
export type Expression =
  | { kind: 'number'; text: string; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'call'; name: string; inputs: Expression[] }
  | { kind: 'negative'; of: Expression }
  | { kind: 'binary'; sign: '+' | '-' | '·' | '/' | '**'; left: Expression; right: Expression };

/** `target ← value`. */
export interface Assignment {
  target: string;
  value: Expression;
}

class Unreadable extends Error {}

const TOKEN =
  /\s+|\\,|\\leftarrow|\\left|\\right|\\frac|\\tfrac|\\sqrt|\\max|\\cdot|\\hat\{v\}|\\[a-zA-Z]+(?:_[a-z\d])?|\d+(?:\.\d+)?|[a-zA-Z]|./gy;

function tokensOf(tex: string): string[] {
  return [...tex.matchAll(TOKEN)]
    .map(([token]) => token)
    .filter((token) => !/^(\s+|\\,|\\left|\\right)$/.test(token));
}

/** Reads sums of products, with products written side by side. */
class Reader {
  private at = 0;
  constructor(private readonly tokens: string[]) {}

  private next(): string {
    return this.tokens[this.at] ?? '';
  }

  private take(expected?: string): string {
    const token = this.next();
    if (token === '' || (expected !== undefined && token !== expected)) throw new Unreadable();
    this.at += 1;
    return token;
  }

  assignment(): Assignment {
    const target = this.take();
    this.take('\\leftarrow');
    const value = this.sum();
    if (this.next() !== '') throw new Unreadable();
    return { target, value };
  }

  private sum(): Expression {
    let left: Expression;
    if (this.next() === '-') {
      this.take();
      left = { kind: 'negative', of: this.product() };
    } else left = this.product();
    while (this.next() === '+' || this.next() === '-') {
      const sign = this.take() as '+' | '-';
      left = { kind: 'binary', sign, left, right: this.product() };
    }
    return left;
  }

  private product(): Expression {
    let left = this.power();
    while (this.next() !== '' && !'+-)},|'.includes(this.next())) {
      const sign = this.next() === '/' ? '/' : '·';
      if (this.next() === '/' || this.next() === '\\cdot') this.take();
      left = { kind: 'binary', sign, left, right: this.power() };
    }
    return left;
  }

  private power(): Expression {
    const base = this.atom();
    if (this.next() !== '^') return base;
    this.take();
    return {
      kind: 'binary',
      sign: '**',
      left: base,
      right: this.next() === '{' ? this.braced() : this.atom(),
    };
  }

  private braced(): Expression {
    this.take('{');
    const inner = this.sum();
    this.take('}');
    return inner;
  }

  private atom(): Expression {
    const token = this.take();
    if (token === '(') {
      const inner = this.sum();
      this.take(')');
      return inner;
    }
    if (token === '\\frac' || token === '\\tfrac')
      return { kind: 'binary', sign: '/', left: this.braced(), right: this.braced() };
    if (token === '\\sqrt') return { kind: 'call', name: 'sqrt', inputs: [this.braced()] };
    if (token === '|') {
      const inner = this.sum();
      this.take('|');
      return { kind: 'call', name: 'abs', inputs: [inner] };
    }
    if (token === '\\max') return { kind: 'call', name: 'max', inputs: this.list() };
    if (/^\d/.test(token)) return { kind: 'number', text: token, value: Number(token) };
    if (/^(\\[a-zA-Z]|[a-zA-Z])/.test(token)) return { kind: 'name', name: token };
    throw new Unreadable();
  }

  private list(): Expression[] {
    this.take('(');
    const inputs = [this.sum()];
    while (this.next() === ',') {
      this.take();
      inputs.push(this.sum());
    }
    this.take(')');
    return inputs;
  }
}

/** A rule as it can be worked with; null where it cannot be read. */
export function readAssignment(tex: string): Assignment | null {
  try {
    return new Reader(tokensOf(tex)).assignment();
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

const STRENGTH = { '+': 1, '-': 1, '·': 2, '/': 2, '**': 4 };

/** An expression as code, its names as `say` says them. */
export function writeCode(
  expression: Expression,
  say: (name: string) => string,
  outer = 0,
  right = false,
): string {
  switch (expression.kind) {
    case 'number':
      return expression.text;
    case 'name':
      return bracketNegative(say(expression.name), outer > 1 || right);
    case 'call':
      return `${expression.name}(${expression.inputs.map((each) => writeCode(each, say)).join(', ')})`;
    case 'negative':
      return `-${writeCode(expression.of, say, 3)}`;
    case 'binary': {
      const { sign } = expression;
      const own = STRENGTH[sign];
      const space = sign === '**' ? '' : ' ';
      const text = `${writeCode(expression.left, say, own)}${space}${sign}${space}${writeCode(expression.right, say, own, true)}`;
      const needs = own < outer || (own === outer && right);
      return needs ? `(${text})` : text;
    }
  }
}

function bracketNegative(text: string, within: boolean): string {
  return within && text.startsWith('-') ? `(${text})` : text;
}

const CALLS: Record<string, (...inputs: number[]) => number> = {
  sqrt: Math.sqrt,
  abs: Math.abs,
  max: Math.max,
};

/** What an expression comes to; NaN where a name has no number. */
export function workOut(expression: Expression, valueOf: (name: string) => number): number {
  const of = (each: Expression) => workOut(each, valueOf);
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'name':
      return valueOf(expression.name);
    case 'call':
      return CALLS[expression.name]!(...expression.inputs.map(of));
    case 'negative':
      return -of(expression.of);
    case 'binary': {
      const [left, right] = [of(expression.left), of(expression.right)];
      if (expression.sign === '**') return left ** right;
      if (expression.sign === '·') return left * right;
      if (expression.sign === '/') return left / right;
      return expression.sign === '+' ? left + right : left - right;
    }
  }
}

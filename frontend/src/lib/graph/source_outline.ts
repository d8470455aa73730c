/** A block of the source: its header's line and its last line, from 1. */
export interface SourceBlock {
  line: number;
  last: number;
  /** The name of a `def`; empty for a loop. */
  name: string;
  indent: number;
}

const LOOP = /^(\s*)(?:async\s+)?(?:for|while)\b/;
const DEF = /^(\s*)(?:async\s+)?def\s+(\w+)/;
/** Strings, comments, brackets: what decides where a statement ends. */
const TOKENS = /"""|'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#.*|[([{]|[)\]}]/g;

/** For each line, the line on which its statement begins. */
function statementStarts(lines: string[]): number[] {
  let depth = 0;
  let quote: string | null = null;
  let start = 1;
  return lines.map((text, k) => {
    if (depth <= 0 && quote === null) start = k + 1;
    for (const [token] of text.matchAll(TOKENS)) {
      if (quote !== null) quote = token === quote ? null : quote;
      else if (token === '"""' || token === "'''") quote = token;
      else if (/^[([{]$/.test(token)) depth += 1;
      else if (/^[)\]}]$/.test(token)) depth -= 1;
    }
    return start;
  });
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** What can be read off a program's text: its loops, its functions, and where these are called. */
export class SourceOutline {
  private readonly lines: string[];
  private readonly starts: number[];
  private readonly loops: SourceBlock[];
  private readonly defs: SourceBlock[];
  private readonly calls = new Map<string, number[]>();

  constructor(source: string) {
    this.lines = source.split('\n');
    this.starts = statementStarts(this.lines);
    this.loops = this.blocks(LOOP);
    this.defs = this.blocks(DEF);
  }

  private blocks(header: RegExp): SourceBlock[] {
    return this.lines.flatMap((text, k) => {
      const found = header.exec(text);
      if (!found || this.starts[k] !== k + 1) return [];
      const indent = indentOf(text);
      return [{ line: k + 1, last: this.end(k + 1, indent), name: found[2] ?? '', indent }];
    });
  }

  private end(line: number, indent: number): number {
    let last = line;
    for (let k = line + 1; k <= this.lines.length; k += 1) {
      const text = this.lines[k - 1] ?? '';
      const isPart = this.starts[k - 1] !== k;
      if (!isPart && text.trim() !== '' && !text.trim().startsWith('#') && indentOf(text) <= indent) break;
      if (text.trim() !== '') last = k;
    }
    return last;
  }

  /** The first line of the statement that a line is part of. */
  statement(line: number): number {
    return this.starts[line - 1] ?? line;
  }

  /** The innermost function around a line. */
  defAt(line: number): SourceBlock | null {
    return this.defs.findLast((block) => block.line < line && line <= block.last) ?? null;
  }

  /** The loops around a line, outermost first, as far as its function goes. */
  loopsAt(line: number): SourceBlock[] {
    const from = this.defAt(line)?.line ?? 0;
    return this.loops.filter((loop) => loop.line > from && isInBody(loop, line));
  }

  /** The statements that call a function or a module by this name. */
  callsOf(name: string): number[] {
    const known = this.calls.get(name) ?? this.findCalls(name);
    this.calls.set(name, known);
    return known;
  }

  private findCalls(name: string): number[] {
    if (!/^\w+$/.test(name)) return [];
    const call = new RegExp(`(?<!def )\\b${name}\\(`);
    const found = this.lines.flatMap((text, k) => (call.test(text) ? [this.starts[k] ?? k + 1] : []));
    return [...new Set(found)];
  }

  /** How often the statement that begins on a line calls a name. */
  timesCalled(line: number, name: string): number {
    const text = this.lines.filter((_, k) => this.starts[k] === line).join('\n');
    return text.split(`${name}(`).length - 1;
  }
}

function isInBody(loop: SourceBlock, line: number): boolean {
  return loop.last === loop.line ? line === loop.line : loop.line < line && line <= loop.last;
}

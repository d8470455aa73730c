import type { NodeRecord, Trace } from '../../api/types';
import { SourceOutline, type SourceBlock } from './source_outline';

/** One level of where a function ran: a turn of a loop, a call of a function, a module. */
export interface ScopeLevel {
  key: string;
  kind: 'turn' | 'call' | 'module';
  /** The module's path or the function's name; of a turn, its number and the line of its loop. */
  title: string;
  line: number;
}

/** The statements that were being run, outermost first: the call that led here is told by the text alone. */
function callLines(node: NodeRecord, outline: SourceOutline, after: number): number[] {
  const lines = [outline.statement(node.span?.line ?? 0)];
  for (let block = outline.defAt(lines[0]!); block && lines.length < 8; block = outline.defAt(lines[0]!)) {
    const name = block.name === 'forward' ? (node.scope[0] ?? '') : block.name;
    const calls = outline.callsOf(name).filter((line) => outline.defAt(line)?.line !== block?.line);
    const call = calls.find((line) => line >= after) ?? calls[0];
    if (call === undefined) break;
    lines.unshift(call);
  }
  return lines;
}

/** Did it run in a function of the program, rather than in a module's call? */
function isInFunction(node: NodeRecord, outline: SourceOutline): boolean {
  const last = node.scope.at(-1);
  return last !== undefined && (last.startsWith('<') || last === outline.defAt(node.span?.line ?? 0)?.name);
}

interface Turn {
  number: number;
  line: number;
  seen: Map<string, number>;
  /** The call that was last recorded: all that it runs belongs to the turn that it began in. */
  call: number | null;
}

/** Counts the turns of loops: a new one begins where the program goes back, or comes by the same place again. */
class Turns {
  private readonly open = new Map<number, Turn>();
  private readonly outline: SourceOutline;

  constructor(outline: SourceOutline) {
    this.outline = outline;
  }

  /** Loops that the program has left begin anew when it comes back. */
  leave(stay: Set<number>): void {
    for (const line of this.open.keys()) if (!stay.has(line)) this.open.delete(line);
  }

  of(loop: SourceBlock, line: number, node: NodeRecord): number {
    const site = `${line}:${node.span?.line}:${node.span?.column}:${node.op}:${node.scope.join('.')}`;
    const turn = this.open.get(loop.line);
    if (turn && node.call !== null && turn.call === node.call) return turn.number;
    const times = (turn?.seen.get(site) ?? 0) + 1;
    const isNew = turn && (line < turn.line || (line === turn.line && times > this.allowed(line, node)));
    const now: Turn =
      turn && !isNew ? turn : { number: (turn?.number ?? 0) + 1, line, seen: new Map(), call: null };
    if (isNew) this.forgetWithin(loop);
    now.line = line;
    now.call = node.call;
    now.seen.set(site, now === turn ? times : 1);
    this.open.set(loop.line, now);
    return now.number;
  }

  private forgetWithin(loop: SourceBlock): void {
    for (const line of this.open.keys()) if (line > loop.line && line <= loop.last) this.open.delete(line);
  }

  /** How often one turn may come by a place: as often as the statement calls what it is in. */
  private allowed(line: number, { scope }: NodeRecord): number {
    if (scope.at(-1)?.startsWith('<')) return Infinity;
    return Math.max(1, ...scope.map((name) => this.outline.timesCalled(line, name)));
  }
}

function moduleLevels(node: NodeRecord, call: number): ScopeLevel[] {
  return node.scope.map((_, k) => {
    const title = node.scope.slice(0, k + 1).join('.');
    return { key: `module:${title}@${call}`, kind: 'module', title, line: call };
  });
}

/** Where each function of a run's forward pass ran, outermost level first. */
export function scopesOf(trace: Trace): Map<string, ScopeLevel[]> {
  const outline = new SourceOutline(trace.source);
  const turns = new Turns(outline);
  const scopes = new Map<string, ScopeLevel[]>();
  let after = 0;
  for (const node of trace.nodes) {
    if (node.pass_id || !node.span) continue;
    const lines = callLines(node, outline, after);
    after = lines[0] ?? after;
    turns.leave(new Set(lines.flatMap((line) => outline.loopsAt(line).map((loop) => loop.line))));
    const inFunction = isInFunction(node, outline);
    scopes.set(
      node.id,
      lines.flatMap((line, k) => levelsAt({ node, outline, turns, inFunction, lines }, line, k)),
    );
  }
  return scopes;
}

interface Site {
  node: NodeRecord;
  outline: SourceOutline;
  turns: Turns;
  inFunction: boolean;
  lines: number[];
}

/** What one line of the call stack adds: the function that it is in, then the turns of the loops around it. */
function levelsAt({ node, outline, turns, inFunction, lines }: Site, line: number, k: number): ScopeLevel[] {
  const call = lines[k - 1] ?? 0;
  const name = k > 0 ? outline.defAt(line)?.name : undefined;
  const called: ScopeLevel[] =
    name && name !== 'forward'
      ? [{ key: `call:${name}@${call}`, kind: 'call', title: name, line: call }]
      : [];
  const looped = outline.loopsAt(line).map((loop): ScopeLevel => {
    const number = turns.of(loop, line, node);
    return { key: `turn:${loop.line}#${number}`, kind: 'turn', title: String(number), line: loop.line };
  });
  const isLast = k === lines.length - 1;
  const modules = isLast && !inFunction ? moduleLevels(node, lines[0] ?? 0) : [];
  return name === 'forward' ? [...called, ...modules, ...looped] : [...called, ...looped, ...modules];
}

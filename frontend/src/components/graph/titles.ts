import type { GraphMessages } from '../../i18n/graph';
import type { Group } from '../../lib/graph/folding';
import type { GraphSource } from '../../lib/graph/source';
import type { Card, Pill } from '../../lib/graph/types';
import { passNumber } from '../../lib/trace/names';
import type { FoldedGroupText } from '../../lib/picture/scene';

/** What a card is called: cards that share a name are told apart by their version, else by their line. */
export function cardName({ ambiguous, version, label, tensor }: Card, t: GraphMessages): string {
  if (ambiguous && version !== null) return `${label}, ${t.version(version)}`;
  return ambiguous && tensor.span ? `${label}, ${t.atLine(tensor.span.line)}` : label;
}

/** What is told of a card's name under the pointer: what made the tensor, after the name where it stands there in part. */
export function toldOf({ label, tensor }: Card, shown: string): string {
  return shown === label || tensor.expression === label
    ? tensor.expression
    : [label, tensor.expression].filter(Boolean).join('\n');
}

/** What a function saved: the names in its formula, and what the picture calls them. */
export function savedLabels(
  { node }: Pill,
  names: ReadonlyMap<string, string>,
  t: GraphMessages,
): { name: string; label: string }[] {
  const outputs = new Set(node.outputs);
  return node.saved.map(({ name, tensor }) => ({
    name,
    label: names.get(tensor) ?? (outputs.has(tensor) ? t.result : name),
  }));
}

/** What groups are called, in the reader's language. */
export class Titles {
  constructor(
    private readonly source: GraphSource,
    private readonly t: GraphMessages,
  ) {}

  of(group: Group): string {
    const { source, t } = this;
    const { kind, title, line, variable } = group;
    if (kind === 'pass') {
      const { trace } = source;
      const k = trace.passes.findIndex((pass) => pass.id === title);
      return t.passGroup(passNumber(trace, k));
    }
    if (kind === 'turn') return t.turn(title, line, variable);
    if (kind === 'call') return `${title}()`;
    if (kind === 'paragraph') return /^\d/.test(title) ? t.lines(title) : title;
    if (kind !== 'module') return t.line(title);
    const named = source.captions.of(group);
    return `${named.path} · ${named.kind}${named.sizes}`;
  }

  /** For screen readers: `turn 3 of 5`, `module 0 Linear`. */
  label(group: Group): string {
    if (group.turn) return this.t.turnOf(group.turn.number, group.turn.of);
    if (group.kind !== 'module') return this.of(group);
    const { path, kind } = this.source.captions.of(group);
    return this.t.module(`${path} ${kind}`);
  }

  /** What stands in the box of a folded group. */
  readonly folded: FoldedGroupText = {
    title: ({ group }) => this.of(group),
    note: ({ group }) => this.t.functions(group.nodes.length),
  };
}

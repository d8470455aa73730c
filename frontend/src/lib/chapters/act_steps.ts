import type { NodeRecord } from '../../api/types';
import type { Lookup } from '../trace/lookup';
import { opName } from '../trace/names';
import { textOf } from '../trace/spans';
import { eventsOf } from '../trace/events';
import type { Act } from './acts';
import type { Segment } from '../animation/segments';

/** What a reader counts within an act: a function with the view that prepares its operand, a zeroing, an update. */
export interface ActStep {
  name: string;
  first: number;
  until: number;
  start: number;
  end: number;
}

/** A name of an operation that is short where its sign is a word. */
function shortOp({ op, symbol }: NodeRecord): string {
  if (op === 'affine') return 'linear';
  const name = opName(op);
  return /^[a-z][a-z ]*$/.test(symbol) && symbol.length < name.length ? symbol : name;
}

/** The index of the module in which a function runs, `2`; empty outside of modules. */
function moduleIndex(titles: Map<string, string>, { place }: NodeRecord): string {
  return titles.get(place ?? '')?.split(' · ')[0] ?? '';
}

const moduleTitles = new WeakMap<Lookup, Map<string, string>>();

function titlesOf(lookup: Lookup): Map<string, string> {
  const known = moduleTitles.get(lookup);
  if (known) return known;
  const modules = lookup.trace.places.filter(({ kind }) => kind === 'module');
  const titles = new Map(modules.map(({ id, title }) => [id, title]));
  moduleTitles.set(lookup, titles);
  return titles;
}

function nameOf(lookup: Lookup, { node, tensor }: Segment): string {
  const own = lookup.node(node);
  if (!own) return tensor ? lookup.name(tensor) : '';
  if (own.kind === 'copy_slices') return lookup.functionName(node);
  const index = moduleIndex(titlesOf(lookup), own);
  const op = shortOp(own);
  return index && index !== op ? `${index} ${op}` : op;
}

/** The transpose of a weight belongs to the step of its function. */
function joins(lookup: Lookup, before: Segment, segment: Segment): boolean {
  if (before.stop === segment.stop) return true;
  const [own, other] = [lookup.node(segment.node), lookup.node(before.node)];
  if (!own || !other || segment.pass === null || own.place !== other.place) return false;
  return own.op === 't' && other.op === 'affine' && own.call === other.call;
}

/** The steps of an act. */
export function stepsOf(lookup: Lookup, segments: readonly Segment[], act: Act): ActStep[] {
  const steps: ActStep[] = [];
  for (const segment of segments.slice(act.first, act.until)) {
    const before = segments[segment.index - 1];
    const open = steps.at(-1);
    if (open && before && joins(lookup, before, segment))
      Object.assign(open, { until: segment.index + 1, end: segment.end });
    else {
      const { index, start, end } = segment;
      steps.push({ name: nameOf(lookup, segment), first: index, until: index + 1, start, end });
    }
  }
  return steps;
}

/** What tells an act from others of its kind in the turn: whose gradient, whose optimizer; else its number. */
export function actDetail(
  lookup: Lookup,
  segments: readonly Segment[],
  acts: readonly Act[],
  act: Act,
): string {
  const alike = acts.filter(({ kind }) => kind === act.kind);
  if (alike.length < 2) return '';
  const { trace } = lookup;
  if (act.pass !== null) return lookup.name(trace.passes[act.pass]?.root);
  const segment = segments.slice(act.first, act.until).find(({ kind }) => kind === act.kind);
  const span = act.kind === 'forward' ? null : (eventsOf(trace)[segment?.event ?? -1]?.span ?? null);
  const receiver = span ? /^\s*(\w+)\./.exec(textOf(trace.source, span))?.[1] : undefined;
  return receiver ?? String(alike.indexOf(act) + 1);
}

/** The optimizer that an act of kind step runs; empty where there is none. */
export function optimizerOf({ trace }: Lookup, segments: readonly Segment[], act: Act): string {
  const segment = segments.slice(act.first, act.until).find(({ kind }) => kind === 'step');
  const event = eventsOf(trace)[segment?.event ?? -1];
  return event?.kind === 'step' ? event.optimizer : '';
}

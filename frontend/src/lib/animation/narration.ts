import type { Messages } from '../../i18n/en';
import type { Lookup } from '../trace/lookup';
import { returnedBy } from '../trace/grad_results';
import type { Segment, Timeline } from './timeline';
import { count } from '../trace/values';

/** Where the cursor is, for a sentence about it. */
export interface Place {
  lookup: Lookup;
  timeline: Timeline;
  segment: Segment | null;
  /** The cursor is at the very end. */
  ended: boolean;
}

/** One sentence for the beat at hand. */
export function sentence(t: Messages, place: Place): string {
  const { segment, ended } = place;
  if (!segment) return t.beat.nothing;
  if (ended) return ending(t, place, segment);
  return speakers[segment.kind](t, place, segment);
}

function ending(t: Messages, place: Place, segment: Segment): string {
  const { error, passes } = place.lookup.trace;
  if (error) return failure(t, place);
  if (passes.length === 0) return t.beat.forwardDone;
  return segment.kind === 'forward' ? speakers.forward(t, place, segment) : t.beat.end(passes.length);
}

function failure(t: Messages, { lookup }: Place): string {
  const error = lookup.trace.error!;
  const tensor = lookup.tensor(error.tensor);
  if (error.code === 'nonscalar-backward' && tensor)
    return t.beat.unstarted(lookup.name(tensor.id), count(tensor.shape));
  return t.beat.stopped(error.span?.line ?? 1);
}

type Speaker = (t: Messages, place: Place, segment: Segment) => string;

const speakers: Record<Segment['kind'], Speaker> = {
  forward: (t, { lookup }, segment) => {
    const name = lookup.name(segment.tensor);
    return segment.node ? t.beat.forward(name, lookup.functionName(segment.node)) : t.beat.leaf(name);
  },
  arrive: (t, place, segment) => {
    const fn = place.lookup.functionName(segment.node);
    const output = place.lookup.node(segment.node)?.outputs[0];
    const name = place.lookup.name(output);
    const shares = arrivals(place, segment, output);
    if (shares > 1) return t.beat.arriveMany(name, fn, shares);
    const seeded = pass(place, segment)?.roots.some((root) => root.tensor === output);
    return (seeded ? t.beat.seed : t.beat.arrive)(name, fn);
  },
  rule: (t, { lookup }, segment) => {
    const node = lookup.node(segment.node);
    return t.beat.rule(lookup.functionName(segment.node), node?.grad_fn ?? '');
  },
  share: (t, { lookup }, segment) => {
    const fn = lookup.functionName(segment.node);
    if (segment.deliveries.length > 1) return t.beat.shareRest(fn);
    const words = { bucket: t.beat.shareLeaf, gradient: t.beat.shareLater, wait: t.beat.shareWait };
    return words[segment.deliveries[0]?.landing ?? 'gradient'](lookup.name(segment.tensor), fn);
  },
  add: (t, place, segment) => {
    const { lookup } = place;
    const targets = new Set(segment.deliveries.map(({ tensor }) => tensor));
    if (targets.size > 1) return t.beat.addRest;
    const name = lookup.name(segment.tensor);
    const result = resultOf(lookup, segment);
    if (result !== undefined) return t.beat.result(name, result);
    return isBucket(place, segment) ? t.beat.addLeaf(name) : t.beat.addShares(name);
  },
};

/** What `autograd.grad` returns here: its name, null where it has none, undefined where nothing is returned. */
function resultOf(lookup: Lookup, segment: Segment): string | null | undefined {
  const own = segment.kind === 'add' ? pass({ lookup }, segment) : null;
  return own ? returnedBy(lookup.trace, own).get(segment.tensor ?? '') : undefined;
}

function pass({ lookup }: Pick<Place, 'lookup'>, segment: Segment) {
  return segment.pass === null ? null : (lookup.trace.passes[segment.pass] ?? null);
}

function isBucket(place: Place, segment: Segment): boolean {
  return !!pass(place, segment)?.accumulations.some(({ tensor }) => tensor === segment.tensor);
}

/** How many gradients meet at a tensor in the pass at hand. */
function arrivals(place: Place, segment: Segment, tensor: string | undefined): number {
  const own = pass(place, segment);
  if (!own) return 0;
  const shares = own.steps.flatMap((step) => step.grad_inputs);
  const seeds = own.roots.filter((root) => root.tensor === tensor);
  return seeds.length + shares.filter((share) => place.lookup.edge(share.edge)?.tensor === tensor).length;
}

/** What the timeline writes under a segment. */
export function label(t: Messages, lookup: Lookup, segment: Segment): string {
  const name = lookup.name(segment.tensor);
  const several = new Set(segment.deliveries.map(({ tensor }) => tensor)).size > 1;
  switch (segment.kind) {
    case 'forward':
      return `${segment.stop} \`${name}\``;
    case 'arrive':
      return t.transport.arrive;
    case 'rule':
      return t.transport.rule;
    case 'share':
      return several ? t.transport.shareRest : t.transport.share(name);
    case 'add': {
      if (several) return t.transport.addRest;
      const result = resultOf(lookup, segment);
      return result === undefined ? t.transport.add(name) : t.transport.result(result ?? name);
    }
  }
}

/** A text without its marks, for a screen reader. */
export function plain(text: string): string {
  return text.replaceAll('`', '').replaceAll('**', '');
}

import type { Messages } from '../../i18n/en';
import { hookedGradient } from '../update/hooks';
import { layerOf, parameterOf, turnerOf } from '../rules/layer';
import type { Trace } from '../../api/types';
import { shownPasses } from '../trace/names/shown_passes';
import { gradResultNames } from '../trace/grad_results';
import { isOwnBackward, ruleOf } from '../trace/rules';
import type { Lookup } from '../trace/lookup';
import { unweightedBy } from '../trace/visibility';
import { formatShape, numel } from '../trace/values';
import { eventSentences } from './event_narration';
import type { Segment, Timeline } from './segments';

/** Where the cursor is, for a sentence about it. */
export interface Cursor {
  lookup: Lookup;
  timeline: Timeline;
  segment: Segment | null;
  /** The cursor is at the very end. */
  ended: boolean;
  /** A program runs, of which nothing is known yet. */
  running?: boolean;
}

/** One sentence for the segment at hand. */
export function sentenceFor(t: Messages, cursor: Cursor): string {
  const { segment, ended } = cursor;
  if (!segment) return cursor.running ? t.narration.running : t.narration.nothing;
  if (ended) return ending(t, cursor, segment);
  return speakers[segment.kind](t, cursor, segment);
}

function ending(t: Messages, cursor: Cursor, segment: Segment): string {
  const { error, passes, left_out } = cursor.lookup.trace;
  if (error) return failure(t, cursor);
  if (passes.length === 0) return left_out?.length ? t.narration.passesLeftOut : t.narration.forwardDone;
  const last = speakers[segment.kind](t, cursor, segment);
  return segment.kind === 'forward' ? last : `${last} ${allDone(t, cursor.lookup.trace)}`;
}

function allDone(t: Messages, trace: Trace): string {
  const { shown, of } = shownPasses(trace);
  return shown < of ? t.shown.done(shown, of) : t.narration.end(of);
}

function failure(t: Messages, { lookup }: Cursor): string {
  const error = lookup.trace.error!;
  const tensor = lookup.tensor(error.tensor);
  const why = tensor ? unweightedBy(error) : null;
  if (tensor && why === 'none') return t.narration.unstarted(lookup.name(tensor.id), numel(tensor.shape));
  if (tensor && why === 'shape')
    return t.giving.shapeSentence(lookup.name(tensor.id), formatShape(tensor.shape) || t.gradient.scalar);
  return t.narration.stopped(error.span?.line ?? 1);
}

type Speaker = (t: Messages, cursor: Cursor, segment: Segment) => string;

const speakers: Record<Segment['kind'], Speaker> = {
  forward: (t, { lookup }, segment) => {
    const layer = layerOf(lookup, segment.node);
    if (layer) return t.narration.turns(weightOf(lookup, segment), lookup.functionName(layer.id));
    const name = lookup.name(segment.tensor);
    return segment.node
      ? t.narration.forward(name, lookup.functionName(segment.node))
      : t.narration.leaf(name);
  },
  arrive: (t, cursor, segment) => {
    const layer = layerOf(cursor.lookup, segment.node);
    if (layer)
      return t.narration.arriveTurned(
        weightOf(cursor.lookup, segment),
        cursor.lookup.functionName(segment.node),
        cursor.lookup.functionName(layer.id),
      );
    const fn = cursor.lookup.functionName(segment.node);
    const output = cursor.lookup.node(segment.node)?.outputs[0];
    const name = cursor.lookup.name(output);
    const arrived = arrivals(cursor, segment, output);
    const hooks = hooksChanging(cursor, segment, output);
    const hooked = hooks ? ` ${t.narration.hooked(name)}` : '';
    if (arrived > 1) return t.narration.arriveMany(name, fn, arrived) + hooked;
    const seeded = pass(cursor, segment)?.roots.some((root) => root.tensor === output);
    return (seeded ? t.narration.seed : t.narration.arrive)(name, fn) + hooked;
  },
  rule: (t, { lookup }, segment) => {
    const node = lookup.node(segment.node);
    if (layerOf(lookup, segment.node))
      return t.narration.turnBack(lookup.functionName(segment.node), weightOf(lookup, segment));
    const isOwn = node !== null && isOwnBackward(ruleOf(lookup.trace, node));
    return (isOwn ? t.events.ownRule : t.narration.rule)(
      lookup.functionName(segment.node),
      node?.grad_fn ?? '',
    );
  },
  send: (t, { lookup }, segment) => {
    const fn = lookup.functionName(segment.node);
    if (segment.deliveries.length > 1) return t.narration.sendRest(fn);
    const [delivery] = segment.deliveries;
    const layer = layerOf(lookup, segment.node);
    if (layer)
      return t.narration.sendTurned(
        lookup.name(segment.tensor),
        fn,
        lookup.functionName(layer.id),
        delivery?.landing === 'bucket',
      );
    if (turnerOf(lookup, segment.tensor))
      return t.narration.sendToTurn(lookup.name(parameterOf(lookup, segment.tensor)?.id), fn);
    const whole = delivery?.gradInput.expanded;
    const undone = whole
      ? ` ${t.narration.unbroadcast(formatShape(whole.shape), formatShape(delivery.gradInput.value.shape) || '1')}`
      : '';
    const words = {
      bucket: t.narration.sendToLeaf,
      gradient: t.narration.sendOn,
      wait: t.narration.sendToWait,
    };
    return words[delivery?.landing ?? 'gradient'](lookup.name(segment.tensor), fn) + undone;
  },
  add: (t, cursor, segment) => {
    const { lookup } = cursor;
    const targets = new Set(segment.deliveries.map(({ tensor }) => tensor));
    if (targets.size > 1) return t.narration.addRest;
    const name = lookup.name(segment.tensor);
    const result = resultOf(lookup, segment);
    if (result !== undefined) return t.narration.result(name, result);
    const count = segment.deliveries.length;
    return isBucket(cursor, segment) ? t.narration.addLeaf(name, count) : t.narration.addUp(name, count);
  },
  write: sayEvent,
  zero: sayEvent,
  step: sayEvent,
  print: sayEvent,
  hook: sayEvent,
  mark: sayEvent,
};

/** The parameter that a function turns round for its layer. */
function weightOf(lookup: Lookup, { node }: Segment): string {
  return lookup.name(lookup.node(node)?.inputs[0]);
}

/** Does a hook change the gradient that reaches a function? What arrives is then not what was sent. */
function hooksChanging(cursor: Cursor, segment: Segment, tensor: string | undefined): boolean {
  const own = pass(cursor, segment);
  const step = segment.step === null ? undefined : own?.steps[segment.step];
  return !!own && !!step && hookedGradient(cursor.lookup, own, step, tensor) !== null;
}

function sayEvent(t: Messages, { lookup }: Cursor, segment: Segment): string {
  return eventSentences[segment.kind as keyof typeof eventSentences](t, lookup, segment);
}

/** What `autograd.grad` returns here: its name, null where it has none, undefined where nothing is returned. */
function resultOf(lookup: Lookup, segment: Segment): string | null | undefined {
  const own = segment.kind === 'add' ? pass({ lookup }, segment) : null;
  return own ? gradResultNames(lookup.trace, own).get(segment.tensor ?? '') : undefined;
}

function pass({ lookup }: Pick<Cursor, 'lookup'>, segment: Segment) {
  return segment.pass === null ? null : (lookup.trace.passes[segment.pass] ?? null);
}

function isBucket(cursor: Cursor, segment: Segment): boolean {
  return !!pass(cursor, segment)?.accumulations.some(({ tensor }) => tensor === segment.tensor);
}

/** How many gradients meet at a tensor in the pass at hand. */
function arrivals(cursor: Cursor, segment: Segment, tensor: string | undefined): number {
  const own = pass(cursor, segment);
  if (!own) return 0;
  const gradInputs = own.steps.flatMap((step) => step.grad_inputs);
  const seeds = own.roots.filter((root) => root.tensor === tensor);
  return (
    seeds.length +
    gradInputs.filter((gradInput) => cursor.lookup.edge(gradInput.edge)?.tensor === tensor).length
  );
}

/** What the timeline writes under a segment. */
export function segmentLabel(t: Messages, lookup: Lookup, segment: Segment): string {
  const name = lookup.name(segment.tensor);
  const several = new Set(segment.deliveries.map(({ tensor }) => tensor)).size > 1;
  switch (segment.kind) {
    case 'forward':
      return `${segment.stop} \`${name}\``;
    case 'arrive':
      return t.transport.arrive;
    case 'rule':
      return t.transport.rule;
    case 'send':
      return several
        ? t.transport.sendRest
        : t.transport.send(lookup.name(parameterOf(lookup, segment.tensor)?.id ?? segment.tensor));
    case 'add': {
      if (several) return t.transport.addRest;
      const result = resultOf(lookup, segment);
      return result === undefined ? t.transport.add(name) : t.transport.result(result ?? name);
    }
    case 'step':
      return segment.beat ? `${t.events.labels.step} ${t.update.labels[segment.beat]}` : t.events.labels.step;
    case 'write':
      if (segment.beat === 'flow') return t.update.labels.flow;
      return t.events.labels.write(name);
    default:
      return t.events.labels[segment.kind];
  }
}

/** A text without its marks, for a screen reader. */
export function withoutMarks(text: string): string {
  return text.replaceAll('`', '').replaceAll('**', '');
}

import type { Trace, Value } from '../../api/types';
import type { Messages } from '../../i18n/en';
import { sentenceFor } from '../animation/narration';
import type { Segment, Timeline } from '../animation/segments';
import { buildTimeline } from '../animation/timeline';
import { Lookup } from '../trace/lookup';
import { passNumber } from '../trace/names';
import { formatShape } from '../trace/values';
import { visiblePart } from '../trace/visibility';
import { valueText } from './values';

/** What a tensor is called, and what it holds at the end of the run. */
export interface TensorLine {
  name: string;
  shape: string;
  isLeaf: boolean;
  requiresGrad: boolean;
  value: string | null;
  grad: string | null;
}

/** One step in words, with the numbers that it makes. Words have marks: `code` and **lead words**. */
export interface Told {
  sentence: string;
  numbers: { name: string; text: string }[];
}

export interface Chapter {
  heading: string;
  steps: Told[];
}

/** A whole run in words and numbers: what a reader who does not see the picture knows of it. */
export interface Account {
  program: string;
  output: string;
  error: string | null;
  notes: string[];
  tensors: TensorLine[];
  chapters: Chapter[];
}

/** The account of a run in the language of `t`. */
export function accountOf(t: Messages, trace: Trace): Account {
  const lookup = new Lookup(trace);
  const timeline = buildTimeline(trace);
  const language = t.name === 'English' ? 'en' : 'zh';
  const { error } = trace;
  return {
    program: trace.source,
    output: trace.stdout,
    error: error && `${error.type}: ${error.message}`,
    notes: trace.notes.map((note) => note.explanation[language]),
    tensors: tensorLines(trace, lookup),
    chapters: chaptersOf(t, lookup, timeline),
  };
}

function tensorLines(trace: Trace, lookup: Lookup): TensorLine[] {
  return visiblePart(trace).tensors.map((tensor) => ({
    name: lookup.name(tensor.id),
    shape: formatShape(tensor.shape),
    isLeaf: tensor.is_leaf,
    requiresGrad: tensor.requires_grad,
    value: tensor.value && valueText(tensor.value),
    grad: tensor.grad && valueText(tensor.grad),
  }));
}

function chaptersOf(t: Messages, lookup: Lookup, timeline: Timeline): Chapter[] {
  const chapters: Chapter[] = [];
  for (const segment of timeline.segments) {
    const heading = headingOf(t, lookup.trace, segment);
    if (chapters.at(-1)?.heading !== heading) chapters.push({ heading, steps: [] });
    const sentence = sentenceFor(t, { lookup, timeline, segment, ended: false });
    const last = chapters.at(-1)!.steps;
    // Of an update that is played in beats the numbers are those of its end.
    if (last.at(-1)?.sentence !== sentence) last.push({ sentence, numbers: numbersOf(lookup, segment) });
  }
  return chapters;
}

function headingOf(t: Messages, trace: Trace, { kind, pass }: Segment): string {
  if (pass !== null)
    return trace.passes[pass]?.kind === 'grad'
      ? t.transport.gradGroup(passNumber(trace, pass))
      : t.transport.passGroup(passNumber(trace, pass));
  if (kind === 'forward') return t.transport.forwardGroup;
  return ['write', 'zero', 'step'].includes(kind)
    ? t.transport.updateGroup
    : t.events.titles[kind as keyof typeof t.events.titles];
}

function numbersOf(lookup: Lookup, segment: Segment): Told['numbers'] {
  const { trace } = lookup;
  const pass = trace.passes[segment.pass ?? -1];
  const told = (name: string, value: Value | null | undefined) =>
    value ? [{ name, text: valueText(value) }] : [];
  const output = lookup.node(segment.node)?.outputs[0];
  switch (segment.kind) {
    case 'forward':
      return told(lookup.name(segment.tensor), lookup.tensor(segment.tensor)?.value);
    case 'arrive':
      return told(`∂ ${lookup.name(output)}`, pass?.gradients[output ?? '']);
    case 'send':
      return segment.deliveries.flatMap(({ tensor, gradInput }) =>
        told(`→ ${lookup.name(tensor)}`, gradInput.value),
      );
    case 'add':
      return (pass?.accumulations ?? [])
        .filter(({ tensor }) => segment.deliveries.some((each) => each.tensor === tensor))
        .flatMap(({ tensor, after }) => told(`${lookup.name(tensor)}.grad`, after));
    default:
      return [];
  }
}

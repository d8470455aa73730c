import { groupBy } from '../group_by';
import type { Act, ActKind } from '../chapters/acts';
import type { Cell } from './chapter_cells';
import type { Segment } from '../animation/segments';

/** What a bar is drawn as: an act; zero as a frame, or as a tick where there is no room; turns left out as dots. */
export type BarKind = ActKind | 'update' | 'tick' | 'gap';

export interface ChapterBar {
  kind: BarKind;
  left: number;
  width: number;
}

/** Between acts, and between the functions of an act. */
const BETWEEN = { acts: 3.5, functions: 2.5, beats: 1.5, closed: 2 };
/** Functions on average narrower than this are one bar, and so are the beats of one. */
const NARROWEST = { function: 7, beat: 4 };
/** Cells narrower than this show one bar instead of acts. */
const ONE_BAR = 14;

const HEIGHT = 8;

type Scale = (time: number) => number;

function bar(kind: BarKind, start: number, end: number, gap: number, x: Scale): ChapterBar {
  const left = x(start);
  return { kind, left, width: Math.max(1, x(end) - left - gap) };
}

/** The functions of an act, each with its segments. */
function functionsOf(segments: readonly Segment[]): Segment[][] {
  return [...groupBy(segments, ({ stop }) => stop).values()];
}

function openAct(act: Act, segments: readonly Segment[], stop: number | null, x: Scale): ChapterBar[] {
  const functions = functionsOf(segments.slice(act.first, act.until));
  const width = x(act.end) - x(act.start);
  if (act.kind === 'zero' || act.kind === 'step' || width / functions.length < NARROWEST.function)
    return [bar(act.kind, act.start, act.end, BETWEEN.acts, x)];
  const last = segments[act.until - 1];
  return functions.flatMap((own) => {
    const room = x(own.at(-1)!.end) - x(own[0]!.start);
    const isSplit = act.kind === 'backward' && own[0]!.stop === stop && room / own.length >= NARROWEST.beat;
    const parts = isSplit ? own.map((each) => [each]) : [own];
    return parts.map((part) => {
      const inner = isSplit && part[0] !== own.at(-1) ? BETWEEN.beats : BETWEEN.functions;
      const gap = part.at(-1) === last ? BETWEEN.acts : inner;
      return bar(act.kind, part[0]!.start, part.at(-1)!.end, gap, x);
    });
  });
}

function closedAct(act: Act, x: Scale): ChapterBar {
  if (act.kind === 'zero') return { kind: 'tick', left: x(act.start), width: 1.5 };
  return bar(act.kind, act.start, act.end, BETWEEN.closed, x);
}

/** The bars of one cell; `stop` is the step at hand. */
export function barsOf(cell: Cell, segments: readonly Segment[], stop: number | null): ChapterBar[] {
  const { left, width, start, end, chapters } = cell;
  const x: Scale = (time) => left + ((time - start) / Math.max(1, end - start)) * width;
  const acts = chapters[0]?.acts ?? [];
  if (cell.kind === 'gap' && !cell.open) return [{ kind: 'gap', left, width }];
  if (cell.open) return acts.flatMap((act) => openAct(act, segments, stop, x));
  if (chapters.length > 1 || width < ONE_BAR) {
    const isTrained = chapters.some((each) => each.acts.some(({ kind }) => kind === 'backward'));
    return [{ kind: isTrained ? 'backward' : (acts[0]?.kind ?? 'forward'), left, width }];
  }
  return acts.map((act) => closedAct(act, x));
}

const short = (x: number) => Math.round(x * 100) / 100;

function outline({ kind, left, width }: ChapterBar): string {
  const [x, w] = [short(left), short(width)];
  if (kind === 'tick') return `M${x} 0h${w}v${HEIGHT}h${-w}z`;
  if (kind === 'gap') return `M${x} ${HEIGHT / 2}h${w}`;
  // The line of a frame stands within it.
  const inset = kind === 'zero' ? Math.min(0.75, w / 4) : 0;
  const r = short(Math.min(HEIGHT / 2 - inset, w / 2 - inset));
  const h = HEIGHT - 2 * inset;
  const straight = short(w - 2 * inset - 2 * r);
  const ry = h / 2;
  return `M${short(x + inset + r)} ${inset}h${straight}a${r} ${ry} 0 0 1 0 ${h}h${-straight}a${r} ${ry} 0 0 1 0 ${-h}z`;
}

/** The bars of one kind. */
export interface BarPath {
  kind: BarKind;
  d: string;
}

/** All bars of a kind as one path, 8 px high. */
export function pathsOf(bars: readonly ChapterBar[]): BarPath[] {
  const paths = new Map<BarKind, string>();
  for (const each of bars) paths.set(each.kind, (paths.get(each.kind) ?? '') + outline(each));
  return [...paths].map(([kind, d]) => ({ kind, d }));
}

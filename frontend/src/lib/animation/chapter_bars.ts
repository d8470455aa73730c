import type { Act, ActKind } from './acts';
import type { Cell } from './chapter_cells';
import type { Segment } from './segments';

/** What a bar is drawn as: an act; zero as a frame, or as a tick where there is no room; turns left out as dots. */
export type BarKind = ActKind | 'update' | 'tick' | 'gap';

export interface ChapterBar {
  kind: BarKind;
  left: number;
  width: number;
}

/** Between acts, and between the functions of an act. */
const BETWEEN = { acts: 3.5, functions: 2.5, beats: 1.5, closed: 2 };
/** Functions on average narrower than this are one bar. */
const NARROWEST = 7;
/** Cells narrower than this show one bar instead of acts. */
const ONE_BAR = 14;

const HEIGHT = 8;

type Scale = (time: number) => number;

function bar(kind: BarKind, start: number, end: number, gap: number, x: Scale): ChapterBar {
  const left = x(start);
  return { kind, left, width: Math.max(1, x(end) - left - gap) };
}

/** The parts of an act: its functions, and in the place of the one at hand its beats. */
function partsOf(segments: readonly Segment[], stop: number | null): Segment[][] {
  const parts: Segment[][] = [];
  for (const segment of segments) {
    const open = parts.at(-1);
    if (open?.[0]!.stop === segment.stop && segment.stop !== stop) open.push(segment);
    else parts.push([segment]);
  }
  return parts;
}

function openAct(act: Act, segments: readonly Segment[], stop: number | null, x: Scale): ChapterBar[] {
  const width = x(act.end) - x(act.start);
  const parts = partsOf(segments.slice(act.first, act.until), act.kind === 'backward' ? stop : null);
  if (act.kind === 'zero' || act.kind === 'step' || width / parts.length < NARROWEST)
    return [bar(act.kind, act.start, act.end, BETWEEN.acts, x)];
  return parts.map((part, k) => {
    const isBeat = part[0]!.stop === stop;
    const gap = k === parts.length - 1 ? BETWEEN.acts : isBeat ? BETWEEN.beats : BETWEEN.functions;
    return bar(act.kind, part[0]!.start, part.at(-1)!.end, gap, x);
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

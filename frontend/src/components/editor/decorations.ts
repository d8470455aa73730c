import {
  RangeSet,
  StateEffect,
  StateField,
  type EditorState,
  type Extension,
  type Range,
  type Text,
} from '@codemirror/state';
import {
  Decoration,
  EditorView,
  gutterLineClass,
  GutterMarker,
  ViewPlugin,
  WidgetType,
  type DecorationSet,
} from '@codemirror/view';
import type { ErrorRecord, Note, Span } from '../../api/types';
import { rangeOf } from '../../lib/trace/spans';
import { linesOf, type Hint } from './line_hints';

/** What is to be seen in the editor beside the text. */
export interface Marks {
  hints: Hint[];
  active: Span | null;
  pass: Span | null;
  error: ErrorRecord | null;
  /** Traps of a program that runs. */
  notes: readonly Note[];
  idle: number[];
  notRun: string;
}

/** Puts a card into an element and returns how to take it out again. */
export type MountCard<Told = ErrorRecord | Note> = (target: HTMLElement, told: Told) => () => void;

export const setMarks = StateEffect.define<Marks>();

const widths = new WeakMap<EditorView, number>();

/** Notes how wide an editor is whenever that changes: to ask while it draws would have the browser lay the page out at once. */
const widthNoted = ViewPlugin.define((view) => {
  const observer = new ResizeObserver(() => widths.set(view, view.contentDOM.clientWidth));
  observer.observe(view.contentDOM);
  return { destroy: () => observer.disconnect() };
});

/** About how wide a letter of a hint is, and what stands around the words, in pixels. */
const HINT = { letter: 6.2, around: 50 };

class HintWidget extends WidgetType {
  constructor(
    private readonly hint: Hint,
    /** Characters of the line before it. */
    private readonly before: number,
  ) {
    super();
  }

  override eq(other: HintWidget): boolean {
    return JSON.stringify(other.hint) === JSON.stringify(this.hint) && other.before === this.before;
  }

  /** Beside a line of one row that leaves no room for all of it, the hint is brief, where that fits. */
  private fitting(view: EditorView): [words: string, code: string] {
    const { words, code, brief } = this.hint;
    const width = widths.get(view) ?? view.contentDOM.clientWidth;
    const room = width - this.before * view.defaultCharacterWidth - HINT.around;
    const needed = (text: string) => text.length * HINT.letter;
    const isTight = room > 0 && needed(words) + needed(code) > room;
    return isTight && needed(brief) <= room ? [brief.replace(/[,，]$/, ''), ''] : [words, code];
  }

  override toDOM(view: EditorView): HTMLElement {
    const [words, code] = this.fitting(view);
    const hint = document.createElement('span');
    hint.className = 'gf-hint';
    hint.setAttribute('aria-hidden', 'true');
    hint.textContent = words;
    if (code) hint.append(Object.assign(document.createElement('code'), { textContent: code }));
    return hint;
  }
}

class CardWidget extends WidgetType {
  private remove: (() => void) | null = null;

  constructor(
    private readonly told: ErrorRecord | Note,
    private readonly mount: MountCard,
  ) {
    super();
  }

  override eq(other: CardWidget): boolean {
    return JSON.stringify(other.told) === JSON.stringify(this.told);
  }

  override toDOM(): HTMLElement {
    const holder = document.createElement('div');
    holder.className = 'gf-error';
    this.remove = this.mount(holder, this.told);
    return holder;
  }

  override destroy(): void {
    this.remove?.();
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

function lineStart(doc: Text, line: number): number | null {
  return line >= 1 && line <= doc.lines ? doc.line(line).from : null;
}

function lineDecorations(doc: Text, lines: number[], className: string): Range<Decoration>[] {
  const style = Decoration.line({ class: className });
  return lines.flatMap((line) => {
    const at = lineStart(doc, line);
    return at === null ? [] : [style.range(at)];
  });
}

function expression(doc: Text, span: Span | null, className: string): Range<Decoration>[] {
  if (!span) return [];
  const { from, to } = rangeOf(doc.toString(), span);
  return from < to ? [Decoration.mark({ class: className }).range(from, to)] : [];
}

/** A span of one line; of a whole block nothing. */
function oneLine(span: Span | null): Span | null {
  return span && span.line === span.end_line ? span : null;
}

function hintAt(doc: Text, hint: Hint): Range<Decoration>[] {
  if (hint.line < 1 || hint.line > doc.lines) return [];
  const { length, to } = doc.line(hint.line);
  return [Decoration.widget({ widget: new HintWidget(hint, length), side: 1 }).range(to)];
}

function card(doc: Text, told: ErrorRecord | Note, mount: MountCard): Range<Decoration> {
  const line = Math.max(1, Math.min(doc.lines, told.span?.end_line ?? doc.lines));
  const widget = new CardWidget(told, mount);
  return Decoration.widget({ widget, block: true, side: 2 }).range(doc.line(line).to);
}

class LineNumberClass extends GutterMarker {
  constructor(override readonly elementClass: string) {
    super();
  }
}

/** A line with its number: the tint runs from edge to edge. */
const LINES = ['gf-on', 'gf-run', 'gf-cause', 'gf-bad'].map((name) => ({
  name,
  marker: new LineNumberClass(name),
}));

function tinted(marks: Marks): Record<string, number[]> {
  return {
    'gf-on': linesOf(marks.active),
    'gf-run': linesOf(marks.pass),
    'gf-cause': linesOf(marks.error?.cause ?? null).slice(0, 1),
    'gf-bad': linesOf(marks.error?.span ?? null),
    'gf-idle': marks.idle,
  };
}

function decorate(state: EditorState, marks: Marks, mount: MountCard): DecorationSet {
  const { doc } = state;
  const { error, notes, active, idle, notRun } = marks;
  const unrun = idle.map((line) => ({ line, words: notRun, code: '', brief: marks.notRun }));
  const one = oneLine(active);
  return Decoration.set(
    [
      ...Object.entries(tinted(marks)).flatMap(([name, lines]) => lineDecorations(doc, lines, name)),
      ...expression(doc, one, 'gf-box'),
      ...expression(doc, error?.span ?? null, 'gf-wave'),
      ...expression(doc, oneLine(error?.cause ?? null), 'gf-cause-text'),
      ...[...marks.hints, ...unrun].flatMap((each) => hintAt(doc, each)),
      ...[...(error ? [error] : []), ...notes].map((told) => card(doc, told, mount)),
    ],
    true,
  );
}

function decorateGutter({ doc }: EditorState, marks: Marks): RangeSet<GutterMarker> {
  const lines = tinted(marks);
  const ranges = LINES.flatMap(({ name, marker }) =>
    (lines[name] ?? []).flatMap((line) => {
      const at = lineStart(doc, line);
      return at === null ? [] : [marker.range(at)];
    }),
  );
  return RangeSet.of(ranges, true);
}

interface Drawn {
  text: DecorationSet;
  gutter: RangeSet<GutterMarker>;
}

/** Draws what `setMarks` says; while the reader types, the marks move with the text. */
export function marksField(mount: MountCard): Extension {
  return StateField.define<Drawn>({
    create: () => ({ text: Decoration.none, gutter: RangeSet.empty }),
    update({ text, gutter }, { effects, state, docChanged, changes }) {
      const marks = effects.findLast((each) => each.is(setMarks))?.value as Marks | undefined;
      if (marks) return { text: decorate(state, marks, mount), gutter: decorateGutter(state, marks) };
      return docChanged ? { text: text.map(changes), gutter: gutter.map(changes) } : { text, gutter };
    },
    provide: (field) => [
      widthNoted,
      EditorView.decorations.from(field, ({ text }) => text),
      gutterLineClass.from(field, ({ gutter }) => gutter),
    ],
  });
}

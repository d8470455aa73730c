import type { Extension, Range } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view';

/** How far the rows of a long line after its first stand in, beyond the indentation of the line. */
const HANGING = 4;

function indentationOf(text: string, tabSize: number): number {
  let width = 0;
  for (const character of text) {
    if (character === ' ') width += 1;
    else if (character === '\t') width += tabSize - (width % tabSize);
    else break;
  }
  return width;
}

function hung(view: EditorView): DecorationSet {
  const found: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges)
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      const indent = indentationOf(line.text, view.state.tabSize);
      const style = `--indent: ${indent}ch; --hang: ${indent + HANGING}ch`;
      found.push(Decoration.line({ attributes: { style } }).range(line.from));
      at = line.to + 1;
    }
  return Decoration.set(found);
}

const hanging = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = hung(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = hung(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** Below the first row, which is 23 px high, stands a mark; a line of one row has no room for it. */
const look = EditorView.theme({
  '.cm-line': {
    position: 'relative',
    overflowY: 'clip',
    textIndent: 'calc(-1 * var(--hang, 0))',
  },
  '.cm-line > *': { textIndent: '0' },
  '.cm-line::after': {
    content: '"↳"',
    position: 'absolute',
    top: '23px',
    left: 'calc(var(--indent, 0ch) + 1.5ch)',
    color: 'var(--ink-3)',
    textIndent: '0',
    pointerEvents: 'none',
  },
});

/** Long lines wrap, with a mark, under their own indentation. */
export const wrapping: Extension = [EditorView.lineWrapping, hanging, look];

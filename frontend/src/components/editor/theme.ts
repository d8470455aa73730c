import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { Decoration, EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const look = EditorView.theme({
  '&': { fontSize: '12.5px', color: 'var(--ink)', backgroundColor: 'var(--card)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '23px', fontVariantLigatures: 'none' },
  '.cm-content': { padding: '2px 0 12px', fontFeatureSettings: '"calt" 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 14px 0 var(--hang, 0)' },
  '.cm-gutters': { border: '0', backgroundColor: 'var(--card)', color: 'var(--ink-3)', fontSize: '11.5px' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '42px', padding: '0 15px 0 0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--fwd-soft)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'transparent',
    boxShadow: 'inset 0 -1.5px 0 var(--wire)',
  },
  '.cm-placeholder': { color: 'var(--ink-3)', fontFamily: 'var(--sans)' },

  // The margins of the card count in the height that the editor measures, for the line numbers below it.
  '.gf-error': { display: 'flow-root', scrollMargin: '40px 0 0' },

  '.gf-hint': {
    marginLeft: '14px',
    font: '400 11.5px/1 var(--sans)',
    color: 'var(--ink-3)',
    fontVariantNumeric: 'tabular-nums',
    whiteSpace: 'nowrap',
    userSelect: 'none',
  },
  '.gf-hint::before': {
    content: '""',
    display: 'inline-block',
    width: '10px',
    height: '1px',
    marginRight: '7px',
    verticalAlign: 'middle',
    backgroundColor: 'var(--line)',
  },
  '.gf-hint code': { fontSize: '11px', marginLeft: '7px' },
  '.gf-on': { backgroundColor: 'var(--bwd-soft)' },
  '.gf-bad': { backgroundColor: 'var(--err-soft)' },
  '.cm-gutterElement.gf-on': { boxShadow: 'inset 2px 0 0 var(--bwd-line)' },
  '.cm-gutterElement.gf-run': {
    boxShadow: 'inset 2px 0 0 color-mix(in srgb, var(--bwd-line) 45%, transparent)',
  },
  '.cm-gutterElement.gf-on.gf-run': { boxShadow: 'inset 2px 0 0 var(--bwd-line)' },
  '.cm-gutterElement.gf-cause': { boxShadow: 'inset 2px 0 0 var(--err-line)' },
  '.gf-cause-text': { borderBottom: '1.5px dashed var(--err)' },
  '.cm-gutterElement.gf-bad': { boxShadow: 'inset 2px 0 0 var(--err)' },
  '.gf-keyword-argument, .gf-keyword-argument span': { color: 'var(--syn-arg)' },
  '.gf-print, .gf-print span': { color: 'var(--syn-key)' },
  '.gf-idle, .gf-idle span': { color: 'var(--ink-3) !important' },
  '.gf-box': {
    margin: '0 -2px',
    padding: '2px',
    borderRadius: '4px',
    backgroundColor: 'var(--card)',
    boxShadow: '0 0 0 1px var(--bwd-line)',
  },
  '.gf-wave': {
    textDecoration: 'underline wavy var(--err) 1.2px',
    textUnderlineOffset: '4px',
    textDecorationSkipInk: 'none',
  },

  '.cm-tooltip': {
    border: '1px solid var(--hair)',
    borderRadius: 'var(--r-control)',
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow-2)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: '12.5px',
    maxHeight: 'none',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--fwd-soft)',
    color: 'var(--ink)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--ink-3)', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': {
    padding: '8px 10px',
    maxWidth: '340px',
    font: '400 12px/1.5 var(--sans)',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null, tags.self], color: 'var(--syn-key)' },
  { tag: tags.standard(tags.variableName), color: 'var(--syn-key)' },
  { tag: tags.number, color: 'var(--syn-num)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: tags.comment, color: 'var(--syn-com)' },
]);

/** Colours what the grammar does not tell apart: keyword arguments and `print`. */
function coloured(regexp: RegExp, className: string): Extension {
  const matcher = new MatchDecorator({ regexp, decoration: Decoration.mark({ class: className }) });
  return ViewPlugin.define(
    (view) => ({
      decorations: matcher.createDeco(view),
      update(update: ViewUpdate) {
        this.decorations = matcher.updateDeco(update, this.decorations);
      },
    }),
    { decorations: ({ decorations }) => decorations },
  );
}

export const theme: Extension = [
  look,
  syntaxHighlighting(colours),
  coloured(/\b[a-z_]\w*(?==[^=\s])/g, 'gf-keyword-argument'),
  coloured(/\bprint(?=\()/g, 'gf-print'),
];

import { StateEffect, StateField, type EditorState, type Extension } from '@codemirror/state';
import { hoverTooltip, keymap, showTooltip, type EditorView, type Tooltip } from '@codemirror/view';
import { mount, unmount } from 'svelte';
import type { Operation } from '../../api/types';
import { i18n } from '../../i18n/index.svelte';
import { known, operationAt } from './completion';
import OperationDoc from './OperationDoc.svelte';

/** Names that programs import other libraries by. */
const LIBRARIES: Record<string, string> = {
  np: 'NumPy',
  numpy: 'NumPy',
  tf: 'TensorFlow',
  tensorflow: 'TensorFlow',
  keras: 'Keras',
  jax: 'JAX',
  jnp: 'JAX',
  paddle: 'PaddlePaddle',
  mx: 'MXNet',
};

interface Word {
  from: number;
  to: number;
  name: string;
  /** What stands before its dot; empty where there is none. */
  owner: string;
}

function wordAt(state: EditorState, pos: number): Word | null {
  const word = state.wordAt(pos);
  if (!word) return null;
  const line = state.doc.lineAt(word.from);
  const before = /(\w*|[\])])\.$/.exec(line.text.slice(0, word.from - line.from));
  const { from, to } = word;
  return { from, to, name: state.sliceDoc(from, to), owner: before ? before[1]! || ')' : '' };
}

/** What is said of a word; null where nothing is known. */
async function told(state: EditorState, pos: number): Promise<Tooltip | null> {
  const word = wordAt(state, pos);
  if (!word) return null;
  const library = LIBRARIES[word.owner] ?? (word.owner === '' ? LIBRARIES[word.name] : undefined);
  if (library) return tooltip(word, null, noteOf(library, word.owner || word.name));
  if (word.owner === '') return null;
  const operation = operationAt(await known(), word.owner, word.name);
  return operation && tooltip(word, operation, '');
}

function noteOf(library: string, name: string): string {
  const t = i18n.t.giving;
  return library === 'NumPy' ? t.numpy(name) : t.library(name, library);
}

function tooltip({ from, to, name }: Word, operation: Operation | null, note: string): Tooltip {
  return {
    pos: from,
    end: to,
    create() {
      const dom = document.createElement('div');
      dom.setAttribute('role', 'tooltip');
      const doc = mount(OperationDoc, { target: dom, props: { name, operation, note } });
      return { dom, destroy: () => void unmount(doc) };
    },
  };
}

const setAsked = StateEffect.define<Tooltip | null>();

/** What was asked for by keyboard; it goes with the next change or move. */
const asked = StateField.define<Tooltip | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setAsked)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

function ask(view: EditorView): boolean {
  const { head } = view.state.selection.main;
  const { doc } = view.state;
  void told(view.state, head).then((found) => {
    if (found && view.state.doc === doc) view.dispatch({ effects: setAsked.of(found) });
  });
  return true;
}

function close(view: EditorView): boolean {
  if (!view.state.field(asked)) return false;
  view.dispatch({ effects: setAsked.of(null) });
  return true;
}

/** What a word means, by the pointer or by Alt H: signature, rules and page of an operation, a note on another library. */
export const explanation: Extension = [
  hoverTooltip((view, pos) => told(view.state, pos)),
  asked,
  keymap.of([
    { key: 'Alt-h', run: ask },
    { key: 'Escape', run: close },
  ]),
];

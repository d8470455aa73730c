import { EditorView } from '@codemirror/view';

/** Lines that come at once without being pasted, as by dictation, go straight into the document: the browser would build
    each of them first, and takes a second for two hundred. */
export const insertion = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== 'insertText' || event.isComposing || !event.data?.includes('\n')) return false;
    // What the browser has selected: the editor may not have heard of it yet.
    const selected = getSelection();
    if (!selected?.rangeCount || !view.contentDOM.contains(selected.anchorNode)) return false;
    const { startContainer, startOffset, endContainer, endOffset } = selected.getRangeAt(0);
    const from = view.posAtDOM(startContainer, startOffset);
    const to = view.posAtDOM(endContainer, endOffset);
    const insert = view.state.toText(event.data);
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length },
      scrollIntoView: true,
      userEvent: 'input.paste',
    });
    return true;
  },
});

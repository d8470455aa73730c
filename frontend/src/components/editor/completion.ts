import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { hoverTooltip, type Tooltip } from '@codemirror/view';
import { operations } from '../../api/client';
import type { Operation } from '../../api/types';

let loading: Promise<Operation[]> | null = null;

/** The operations, fetched when first needed; a failure is tried again the next time. */
function known(): Promise<Operation[]> {
  loading ??= operations().catch(() => {
    loading = null;
    return [];
  });
  return loading;
}

/** `torch.mm` for `t.mm`, `torch.Tensor.mm` for any other object: what stands before the dot decides what is offered. */
function offered(path: string, owner: string): boolean {
  const module = path.slice(0, path.lastIndexOf('.'));
  if (owner === 'torch' || owner === 't') return module === 'torch';
  if (owner === 'F') return module === 'torch.nn.functional';
  return module === 'torch.Tensor';
}

function completionOf({ signature, doc, grad_fn }: Operation, path: string): Completion {
  const label = path.slice(path.lastIndexOf('.') + 1);
  return { label, detail: grad_fn ?? '', info: `${signature}\n${doc}`, type: 'function' };
}

/** What can follow `owner.`. */
export function complete(all: Operation[], owner: string): Completion[] {
  const found = all.flatMap((operation) =>
    operation.functions.filter((path) => offered(path, owner)).map((path) => completionOf(operation, path)),
  );
  return [...new Map(found.map((each) => [each.label, each])).values()];
}

async function source(context: CompletionContext): Promise<CompletionResult | null> {
  const before = context.matchBefore(/(\w+|[\])])\.\w*/);
  if (!before) return null;
  const [owner = '', typed = ''] = before.text.split('.');
  const options = complete(await known(), owner);
  return options.length ? { from: context.pos - typed.length, options, validFor: /^\w*$/ } : null;
}

function tooltip({ signature, doc }: Operation, pos: number, end: number): Tooltip {
  const dom = document.createElement('div');
  dom.className = 'gf-doc';
  dom.append(Object.assign(document.createElement('code'), { textContent: signature }), doc);
  return { pos, end, create: () => ({ dom }) };
}

const hover = hoverTooltip(async (view, pos) => {
  const word = view.state.wordAt(pos);
  if (!word || view.state.sliceDoc(word.from - 1, word.from) !== '.') return null;
  const name = view.state.sliceDoc(word.from, word.to);
  const found = (await known()).find(({ functions }) => functions.some((path) => path.endsWith(`.${name}`)));
  return found ? tooltip(found, word.from, word.to) : null;
});

export const completion: Extension = [autocompletion({ override: [source], icons: false }), hover];

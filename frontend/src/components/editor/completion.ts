import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { operations } from '../../api/client';
import type { Operation } from '../../api/types';

let loading: Promise<Operation[]> | null = null;

/** The operations, fetched when first needed; a failure is tried again the next time. */
export function known(): Promise<Operation[]> {
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

/** What can follow `owner.` and begins with what is typed. */
export function complete(all: Operation[], owner: string, typed: string): Completion[] {
  const found = all.flatMap((operation) =>
    operation.functions.filter((path) => offered(path, owner)).map((path) => completionOf(operation, path)),
  );
  return [...new Map(found.map((each) => [each.label, each])).values()]
    .filter(({ label }) => label.startsWith(typed))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

/**
 * What is offered at the cursor. Enter takes the first of it, so unasked nothing is where a line can well end: after a
 * number (`7.`), an attribute (`x.grad`), a whole name.
 */
export async function source(context: CompletionContext): Promise<CompletionResult | null> {
  const before = context.matchBefore(/(\w+|[\])])\.\w*/);
  if (!before || /^\d/.test(before.text)) return null;
  const [owner = '', typed = ''] = before.text.split('.');
  const options = complete(await known(), owner, typed);
  if (!context.explicit && options.some(({ label }) => label === typed)) return null;
  return options.length ? { from: context.pos - typed.length, options, filter: false } : null;
}

/** The operation that a word names, after what stands before its dot. */
export function operationAt(all: Operation[], owner: string, name: string): Operation | null {
  const named = all.filter(({ functions }) => functions.some((path) => path.endsWith(`.${name}`)));
  const fitting = named.find(({ functions }) =>
    functions.some((path) => path.endsWith(`.${name}`) && offered(path, owner)),
  );
  return fitting ?? named[0] ?? null;
}

/** So many stand in the list at a time, all in sight: it never scrolls, and the arrow keys go on to the others. */
const MOST = 8;

export const completion: Extension = autocompletion({
  override: [source],
  icons: false,
  maxRenderedOptions: MOST,
});

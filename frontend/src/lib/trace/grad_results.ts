import type { Pass, Trace } from '../../api/types';
import { rangeOf } from './spans';

/** The parts of a text between commas that are in no brackets. */
export function splitAtCommas(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of text) {
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0) {
      found.push(part.trim());
      part = '';
    } else part += character;
  }
  if (part.trim() !== '') found.push(part.trim());
  return found;
}

function unwrapped(text: string): string {
  return /^[([].*[)\]]$/s.test(text) ? text.slice(1, -1) : text;
}

/** The text of the argument `inputs` of a call of `autograd.grad`. */
function inputsOf(call: string): string[] {
  const open = call.indexOf('(');
  const given = splitAtCommas(call.slice(open + 1, call.lastIndexOf(')')));
  const named = given.find((argument) => /^inputs\s*=/.test(argument));
  const text = named ? named.replace(/^inputs\s*=\s*/, '') : (given[1] ?? '');
  return splitAtCommas(unwrapped(text));
}

/** What the results are called: `dx, dw = ...`, `dx = ...[0]`, or all of them by one name. */
function resultsOf(before: string, after: string, count: number): (string | null)[] {
  const target = /^\s*(\S[^=]*?)\s*=\s*$/.exec(before)?.[1];
  const none = new Array<null>(count).fill(null);
  if (!target) return none;
  const names = splitAtCommas(unwrapped(target));
  const picked = /^\s*\[(\d+)\]\s*(?:#.*)?$/.exec(after)?.[1];
  if (picked) return none.map((_, k) => (k === Number(picked) ? target : null));
  if (after.trim() !== '' && !after.trim().startsWith('#')) return none;
  if (names.length === count && (count > 1 || target !== names[0])) return names;
  return names.length === 1 ? none.map((_, k) => `${names[0]}[${k}]`) : none;
}

/** The gradients that a call of `autograd.grad` returns, by tensor: their names, null where the program gives none. */
export function gradResultNames(trace: Trace, pass: Pass): Map<string, string | null> {
  const returned = new Map<string, string | null>();
  if (pass.kind !== 'grad' || !pass.span) return returned;
  const { from, to } = rangeOf(trace.source, pass.span);
  const inputs = inputsOf(trace.source.slice(from, to));
  const start = trace.source.lastIndexOf('\n', from - 1) + 1;
  const end = trace.source.indexOf('\n', to);
  const after = trace.source.slice(to, end < 0 ? undefined : end);
  const results = resultsOf(trace.source.slice(start, from), after, inputs.length);
  inputs.forEach((input, k) => {
    const known = trace.tensors.filter((tensor) => tensor.names.includes(input));
    const tensor = known.findLast(({ id }) => pass.gradients[id] !== undefined);
    if (tensor) returned.set(tensor.id, results[k] ?? null);
  });
  return returned;
}

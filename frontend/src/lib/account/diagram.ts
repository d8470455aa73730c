import type { Trace } from '../../api/types';
import { Lookup } from '../trace/lookup';
import { formatShape } from '../trace/values';
import { visiblePart } from '../trace/visibility';

/** Larger graphs are no picture any more. */
const MOST = 60;

/** Text within quotes, as Mermaid reads it. */
function quoted(text: string): string {
  return `"${text.replaceAll('&', '#amp;').replaceAll('"', '#quot;').replaceAll('<', '#lt;').replaceAll('`', "'")}"`;
}

/** The graph in Mermaid's language, which pages of Markdown draw; null where it is too large, or empty. */
export function diagramOf(trace: Trace): string | null {
  const lookup = new Lookup(trace);
  const { tensors, nodes } = visiblePart(trace);
  if (tensors.length === 0 || tensors.length + nodes.length > MOST) return null;
  const known = new Set(tensors.map(({ id }) => id));
  const lines = [
    ...tensors.map(({ id, shape }) => {
      const name = `${lookup.name(id)} ${formatShape(shape)}`.trim();
      return `${id}[${quoted(name)}]`;
    }),
    ...nodes.map(({ id, grad_fn }) => `${id}([${quoted(grad_fn ?? lookup.functionName(id))}])`),
    ...nodes.flatMap(({ id, inputs, outputs }) => [
      ...inputs.filter((tensor) => known.has(tensor)).map((tensor) => `${tensor} --> ${id}`),
      ...outputs.filter((tensor) => known.has(tensor)).map((tensor) => `${id} --> ${tensor}`),
    ]),
  ];
  return ['flowchart TD', ...new Set(lines)].join('\n  ');
}

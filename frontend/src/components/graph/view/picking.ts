import type { RecordRef } from '../../../lib/trace/lookup';

/** What a reader can press in the pane, besides what can be chosen. */
const CONTROLS = '[data-group], .tools, .map, .isolation, .zoom';

export function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(CONTROLS) !== null;
}

function elementAt(target: Element, cell: string): Pick<RecordRef, 'element' | 'of'> {
  const of = target.closest('.bucket') ? 'grad' : target.closest('.gradient') ? 'gradient' : null;
  return { element: Number(cell), ...(of ? { of } : {}) };
}

/** The tensor, with the element of it, or the function that something on screen stands for. */
export function refAt(target: EventTarget | null): RecordRef | null {
  if (!(target instanceof Element)) return null;
  const holder = target.closest<HTMLElement>('[data-tensor], [data-node]');
  if (!holder) return null;
  const { tensor, node } = holder.dataset;
  if (node) return { kind: 'node', id: node };
  const cell = target.closest<HTMLElement>('[data-k]')?.dataset.k;
  return { kind: 'tensor', id: tensor ?? '', ...(cell === undefined ? {} : elementAt(target, cell)) };
}

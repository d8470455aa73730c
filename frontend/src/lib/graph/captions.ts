import type { NodeRecord, TensorRecord } from '../../api/types';
import { moduleParts } from '../trace/places';
import { formatShape } from '../trace/values';
import type { Group } from './folding';

/** Of a module: its path, without the name of the model where there is only one, its class, and the sizes of a layer. */
export interface ModuleCaption {
  path: string;
  kind: string;
  sizes: string;
}

/** What modules are called in the picture. */
export class Captions {
  private readonly shapes = new Map<string, number[]>();
  /** The parameters by their ids: a model that is made anew has the names of the one before. */
  private readonly parameters = new Map<string, { name: string; shape: number[] }>();
  private readonly roots = new Set<string>();

  constructor(tensors: readonly TensorRecord[]) {
    for (const { id, is_leaf, requires_grad, names, shape } of tensors) {
      const name = names[0] ?? '';
      if (!is_leaf || !requires_grad || !name.includes('.')) continue;
      this.shapes.set(name, shape);
      this.parameters.set(id, { name, shape });
      this.roots.add(name.slice(0, name.indexOf('.')));
    }
  }

  of({ title, caption, nodes = [] }: Pick<Group, 'title' | 'caption'> & Partial<Group>): ModuleCaption {
    const { kind } = moduleParts(caption);
    const inner = title.slice(title.indexOf('.') + 1);
    const path = this.roots.size <= 1 && title.includes('.') ? inner : title;
    return { path, kind, sizes: sizesOf(kind, this.weightOf(title, nodes)) };
  }

  /** The shape of the weight that a module's functions read, where they are at hand, else of that with the name. */
  private weightOf(title: string, nodes: readonly NodeRecord[]): number[] | null {
    const name = `${title}.weight`;
    for (const { inputs } of nodes)
      for (const id of inputs) {
        const found = this.parameters.get(id);
        if (found?.name === name) return found.shape;
      }
    return this.shapes.get(name) ?? null;
  }
}

function sizesOf(kind: string, weight: readonly number[] | null): string {
  if (!weight || weight.length < 2)
    return weight && kind.endsWith('Norm') ? `(${formatShape([...weight])})` : '';
  if (kind === 'Embedding') return `(${formatShape([...weight])})`;
  return kind === 'Linear' || kind.startsWith('Conv') ? `(${weight[1]}→${weight[0]})` : '';
}

import type { TensorRecord } from '../../api/types';
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
  private readonly roots = new Set<string>();

  constructor(tensors: readonly TensorRecord[]) {
    for (const { is_leaf, requires_grad, names, shape } of tensors) {
      const name = names[0] ?? '';
      if (!is_leaf || !requires_grad || !name.includes('.')) continue;
      this.shapes.set(name, shape);
      this.roots.add(name.slice(0, name.indexOf('.')));
    }
  }

  of({ title, caption }: Pick<Group, 'title' | 'caption'>): ModuleCaption {
    const { kind } = moduleParts(caption);
    const inner = title.slice(title.indexOf('.') + 1);
    const path = this.roots.size <= 1 && title.includes('.') ? inner : title;
    return { path, kind, sizes: sizesOf(kind, this.shapes.get(`${title}.weight`) ?? null) };
  }
}

function sizesOf(kind: string, weight: readonly number[] | null): string {
  if (!weight || weight.length < 2)
    return weight && kind.endsWith('Norm') ? `(${formatShape([...weight])})` : '';
  if (kind === 'Embedding') return `(${formatShape([...weight])})`;
  return kind === 'Linear' || kind.startsWith('Conv') ? `(${weight[1]}→${weight[0]})` : '';
}

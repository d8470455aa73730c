import type { ArrayElement, Value } from '../../api/types';
import { formatElement, formatShape, norm, numel } from '../trace/values';

/** Arrays up to this many elements are written out. */
const MOST = 64;

function nested(data: readonly ArrayElement[], shape: readonly number[]): string {
  const [size, ...rest] = shape;
  if (size === undefined) return formatElement(data[0] ?? 0);
  const each = rest.reduce((product, length) => product * length, 1);
  const parts = Array.from({ length: size }, (_, k) => nested(data.slice(k * each, (k + 1) * each), rest));
  return `[${parts.join(', ')}]`;
}

/** An array as a program would write it, or its shape and norm where it is long. */
export function valueText(value: Value): string {
  if (value.data && numel(value.shape) <= MOST) return nested(value.data, value.shape);
  return `${formatShape(value.shape)}, ‖·‖ = ${formatElement(norm(value))}`;
}

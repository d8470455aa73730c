import type { TensorRecord, Trace, Value } from '../../../api/types';
import { versionsOf } from '../../trace/events';
import { contentNow, type Beads } from '../element_states';
import { Animation } from '../frame';
import type { Timeline } from '../segments';

/** What a tensor is at one time of a run. */
export interface TensorNow {
  isMade: boolean;
  version: number;
  value: Value;
  /** The gradient that the pass at hand has brought it so far. */
  gradient: Value | null;
  /** What `.grad` holds. */
  grad: Value | null;
}

function shown({ value, before, mix }: Beads): Value | null {
  return mix < 0.5 ? before : value;
}

/** What the picture shows of a tensor at a time; null of a tensor that it never shows. */
export function tensorAt(
  trace: Trace,
  timeline: Timeline,
  tensor: TensorRecord,
  time: number,
): TensorNow | null {
  const animation = new Animation(trace, timeline);
  if (!animation.all.tensors.includes(tensor.id)) return null;
  const { cards } = animation.at(time, false, { tensors: [tensor.id], nodes: [], edges: [] });
  const { value, content, gradient, bucket } = cards.get(tensor.id)!;
  const isVersioned = versionsOf(tensor).length > 0;
  return {
    isMade: value > 0,
    version: isVersioned && content.mix >= 0.5 ? content.version : versionBefore(tensor, content.version),
    value: contentNow(content) ?? tensor.value,
    gradient: shown(gradient),
    grad: bucket.state === 'full' ? shown(bucket) : null,
  };
}

/** The version that is left while the next one fades in; of a tensor whose versions were not told, its own. */
function versionBefore(tensor: TensorRecord, version: number): number {
  return versionsOf(tensor).findLast((each) => each.version < version)?.version ?? tensor.version;
}

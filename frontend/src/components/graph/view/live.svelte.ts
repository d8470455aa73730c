import type { RecordRef } from '../../../lib/trace/lookup';
import { untrack } from 'svelte';

/** What one element looks like now. */
class Box<State> {
  now: State = $state.raw()!;

  constructor(state: State) {
    this.now = state;
  }
}

/** What is made here is read like any other state: on what it makes itself, a reaction does not depend. */
function madeOutside<Made>(make: () => Made): Made {
  if (import.meta.env.SSR) return make();
  let made: Made;
  $effect.root(() => void (made = untrack(make)))();
  return made!;
}

/**
 * What each element of a picture looks like now, told to those alone whose look has changed: a new frame does not touch
 * a card that stays as it was.
 */
export class Live<Frame, Item, State> {
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- what reacts is in the boxes
  private readonly boxes = new Map<string, { item: Item; box: Box<State> }>();
  private readonly frame: () => Frame;
  private readonly look: (frame: Frame, item: Item) => State;

  constructor(frame: () => Frame, look: (frame: Frame, item: Item) => State) {
    this.frame = frame;
    this.look = look;
    $effect.pre(() => {
      const now = this.frame();
      untrack(() => {
        for (const { item, box } of this.boxes.values()) {
          const state = this.look(now, item);
          if (state !== box.now) box.now = state;
        }
      });
    });
  }

  /** The look of an item. Of those that stand in one place, one after the other, the last is kept. */
  of(place: string, item: Item): State {
    const known = this.boxes.get(place);
    if (known?.item === item) return known.box.now;
    const box = madeOutside(() => new Box(this.look(this.frame(), item)));
    this.boxes.set(place, { item, box });
    return box.now;
  }
}

/**
 * A value that is worked out at every moment and seldom changes. What reads it is not even asked whether it has changed
 * while it has not: of a large picture that alone would take longer than to draw what moves.
 */
export class Settled<Value> {
  now: Value = $state.raw()!;

  constructor(read: () => Value) {
    this.now = untrack(read);
    $effect.pre(() => {
      const value = read();
      if (value !== untrack(() => this.now)) this.now = value;
    });
  }
}

/** What the reader looks at: what was chosen since the run stands where it does. */
export class Looking {
  private selection: RecordRef | null = null;
  private segment = 0;

  at(selection: RecordRef | null, segment: number): string | null {
    if (selection !== this.selection) Object.assign(this, { selection, segment });
    return this.segment === segment ? (selection?.id ?? null) : null;
  }
}

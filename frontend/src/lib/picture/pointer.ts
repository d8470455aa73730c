/** What pointers do to a pane. Positions are those of the pane, in pixels. */
export interface PaneGestures {
  pan(dx: number, dy: number): void;
  zoom(factor: number, x: number, y: number): void;
  hover(target: EventTarget | null): void;
  click(target: EventTarget | null): void;
  focus(target: EventTarget | null): void;
  /** To look closely: a double click. */
  look(target: EventTarget | null): void;
  /** A drag has begun or ended. */
  drag(active: boolean): void;
}

/** A pointer that moved less than this was a click. */
const SLACK = 4;

interface At {
  x: number;
  y: number;
}

/** What takes its drags itself. */
function isApart(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.map, .isolation') !== null;
}

class Pointers {
  private readonly down = new Map<number, At>();
  private readonly pane: HTMLElement;
  private readonly gestures: PaneGestures;
  travelled = 0;

  constructor(pane: HTMLElement, gestures: PaneGestures) {
    this.pane = pane;
    this.gestures = gestures;
  }

  press(event: PointerEvent): void {
    if (event.button !== 0 || isApart(event.target)) return;
    if (this.down.size === 0) this.travelled = 0;
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  move(event: PointerEvent): void {
    const before = this.down.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (this.down.size === 2) this.pinch(event.pointerId, before, now);
    else this.pan(before, now);
    this.down.set(event.pointerId, now);
  }

  release(event: PointerEvent): void {
    this.down.delete(event.pointerId);
    if (this.down.size === 0) this.gestures.drag(false);
  }

  private pan(before: At, now: At): void {
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    this.travelled += Math.abs(dx) + Math.abs(dy);
    if (this.travelled < SLACK) return;
    this.gestures.drag(true);
    this.gestures.pan(dx, dy);
  }

  private pinch(id: number, before: At, now: At): void {
    const other = [...this.down].find(([key]) => key !== id)?.[1];
    if (!other) return;
    this.travelled += SLACK;
    const spread = (at: At) => Math.hypot(at.x - other.x, at.y - other.y);
    const box = this.pane.getBoundingClientRect();
    const centre = { x: (now.x + other.x) / 2 - box.left, y: (now.y + other.y) / 2 - box.top };
    if (spread(before) > 0) this.gestures.zoom(spread(now) / spread(before), centre.x, centre.y);
  }
}

function wheelOf(pane: HTMLElement, gestures: PaneGestures): (event: WheelEvent) => void {
  return (event) => {
    event.preventDefault();
    const box = pane.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey)
      gestures.zoom(Math.exp(-event.deltaY * 0.005), event.clientX - box.left, event.clientY - box.top);
    else gestures.pan(-event.deltaX, -event.deltaY);
  };
}

/** Listens on a pane: dragging pans, two fingers or the wheel with Ctrl zoom. Returns what ends it. */
export function listenToPointers(pane: HTMLElement, gestures: PaneGestures): () => void {
  const pointers = new Pointers(pane, gestures);
  const ended = new AbortController();
  const { signal } = ended;
  const release = (event: PointerEvent) => pointers.release(event);
  pane.addEventListener('pointerdown', (event) => pointers.press(event), { signal });
  pane.addEventListener('pointermove', (event) => pointers.move(event), { signal });
  pane.addEventListener('pointerover', (event) => gestures.hover(event.target), { signal });
  pane.addEventListener('pointerleave', () => gestures.hover(null), { signal });
  pane.addEventListener('focusin', (event) => gestures.focus(event.target), { signal });
  pane.addEventListener('dblclick', (event) => gestures.look(event.target), { signal });
  pane.addEventListener('wheel', wheelOf(pane, gestures), { signal, passive: false });
  pane.addEventListener(
    'click',
    (event) => {
      const byKey = event.detail === 0;
      if (byKey || pointers.travelled < SLACK) gestures.click(event.target);
    },
    { signal },
  );
  window.addEventListener('pointerup', release, { signal });
  window.addEventListener('pointercancel', release, { signal });
  return () => ended.abort();
}

/** A playhead that was moved so often within `WINDOW` milliseconds is being dragged, also where frames take long. */
const MOVES = 3;
const WINDOW = 400;

/** Nobody presses a key again so soon: what moves faster than this is dragged. */
const AT_ONCE = 50;

/** It rests when it has not been moved for this long. */
const REST = 120;

/** Words follow a playhead that is dragged no more often than this: nobody reads faster, and to set them takes long. */
const READ = 100;

/**
 * Where the playhead rests. What takes long to draw and is not read while the playhead is dragged, the editor's marks
 * and the inspector, follows the time `now`; the words about the beat at hand follow the time `told`.
 */
export class RestingTime {
  now = $state(0);
  told = $state(0);
  private toldAt = -Infinity;
  private moves: number[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** The playhead is there, and stays or plays on. */
  set(time: number): void {
    clearTimeout(this.timer);
    this.now = this.told = time;
  }

  /** The reader has stepped to a beat, which is told however soon the next step follows. */
  step(time: number): void {
    this.move(time);
    this.told = time;
  }

  /** The reader has moved the playhead. */
  move(time: number): void {
    const at = performance.now();
    const isFast = at - (this.moves.at(-1) ?? -Infinity) < AT_ONCE;
    this.moves = [...this.moves.filter((move) => at - move < WINDOW), at];
    if (this.moves.length < MOVES && !isFast) this.set(time);
    else this.drag(time);
  }

  /** The playhead is on its way, under a hand or by a key that is held: where it rests will be told in any case. */
  drag(time: number): void {
    const at = performance.now();
    if (at - this.toldAt >= READ) {
      this.toldAt = at;
      this.told = time;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.set(time), REST);
  }
}

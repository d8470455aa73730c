import { cubicOut } from 'svelte/easing';
import { Tween } from 'svelte/motion';
import { untrack } from 'svelte';
import {
  centreOn,
  followBeneath,
  followFocus,
  isCut,
  isInView,
  isLow,
  liftOf,
  lookAt,
  partToDraw,
  showWhole,
  zoomAt,
  type Camera,
  type Pane,
} from '../../../lib/picture/camera';
import { ENLARGED, LEAST } from '../../../lib/picture/compose';
import type { LayoutResult, Point, Rect } from '../../../lib/picture/layout';
import type { Style } from '../../../lib/graph/types';

export { isLow, roomForMap } from '../../../lib/picture/camera';

/** What there is to see, read whenever it changes. */
interface Seen {
  readonly layout: LayoutResult | null;
  readonly bounds: Rect;
  readonly style: Style;
  /** The height of what stays in sight at the top of the picture. */
  readonly band: number;
  /** Where the element at work is. */
  readonly focus: Rect | null;
  /** The pane with all of its room, and with a map at its lower edge. */
  readonly pane: Pane;
  readonly mappedPane: Pane;
  readonly still: boolean;
}

/** An overview smaller than this cannot be read: to fit then goes to and fro between it and the step at hand. */
const OVERVIEW = 0.6;

const GLIDE = { duration: 420, easing: cubicOut };

/** So long after its last move the picture rests. */
const REST = 240;

/** The tools below a graph without a map are not higher than this. */
export const PLAIN_TOOLS = 56;

/** From where the picture is seen: the camera follows what happens, until a reader moves it. */
export class Viewpoint {
  private readonly seen: Seen;
  private manual = $state.raw<Camera | null>(null);
  /** The reader has not moved the camera: it shows what was chosen elsewhere, for as long as that is chosen. */
  private isVisiting = false;
  private showsWhole = $state(false);
  /** The camera glides; a CSS transition would have the browser redraw the whole picture as one large sheet. */
  private glide = $state.raw(new Tween<Camera>({ x: 0, y: 0, scale: 1 }, GLIDE));
  private glidingOver: readonly unknown[] = [];
  /** Does the picture pan, zoom or glide? */
  isMoving = $state(false);
  private attended: { isolation: unknown; segment: number } = { isolation: undefined, segment: -1 };
  private lastPlace = '';
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(seen: Seen) {
    this.seen = seen;
    $effect(() => {
      const { x, y, scale } = this.camera;
      const place = `${x} ${y} ${scale}`;
      if (place === this.lastPlace) return;
      this.isMoving = this.lastPlace !== '';
      this.lastPlace = place;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => (this.isMoving = false), REST);
    });
    $effect(() => () => clearTimeout(this.timer));
    $effect(() => {
      const { layout, still, pane } = this.seen;
      const isNew = this.glidingOver[0] !== layout || this.glidingOver[1] !== pane.width;
      this.glidingOver = [layout, pane.width];
      // A glide that another has replaced before a frame went by goes on, so that a jump begins anew.
      if (isNew || still || this.manual) this.glide = new Tween(this.home, GLIDE);
      else void untrack(() => this.glide).set(this.home);
    });
  }

  /** Is a part of the picture out of sight? Then a map shows where. */
  readonly isMapped = $derived.by(() => {
    const { bounds, pane } = this.seen;
    const hasRoom = !isLow(pane) || pane.insets.right > 300;
    return bounds.width > 0 && hasRoom && isCut(bounds, this.manual ?? this.homeIn(pane), pane);
  });
  readonly pane = $derived.by(() => (this.isMapped ? this.seen.mappedPane : this.seen.pane));
  private readonly home = $derived.by(() => this.homeIn(this.pane));
  readonly camera = $derived.by(() => this.manual ?? this.glide.current);
  /** How far down the band at the top is moved, in the picture's own measure. */
  readonly lift = $derived.by(() =>
    this.seen.band > 0 ? liftOf(this.seen.band, this.camera, this.pane) : 0,
  );

  /** The height of what keeps words over the graph readable. */
  readonly veil = $derived.by(() => {
    const { top } = this.pane.insets;
    return top > 40 && this.camera.y < top - 1 ? top + (this.lift > 0 ? 0 : 12) : 0;
  });

  private readonly partKey = $derived.by(() => {
    const { x, y, width, height } = partToDraw(this.seen.bounds, this.camera, this.seen.pane);
    return [x, y, width, height].join();
  });
  /** The part of the picture that is worth drawing; the same while that is the same. */
  readonly part = $derived.by<Rect>(() => {
    const [x, y, width, height] = this.partKey.split(',').map(Number);
    return { x: x!, y: y!, width: width!, height: height! };
  });

  private homeIn(pane: Pane): Camera {
    const { bounds, focus, style, band } = this.seen;
    if (this.showsWhole) return showWhole(bounds, pane);
    if (style === 'cards') return followFocus(bounds, pane, focus);
    return followBeneath(bounds, pane, focus, band, { least: LEAST, most: ENLARGED });
  }

  pan(dx: number, dy: number): void {
    this.isVisiting = false;
    const { camera } = this;
    this.manual = { ...camera, x: camera.x + dx, y: camera.y + dy };
  }

  /** Zooms so that a point stays, by default the middle. */
  zoom(factor: number, x = this.pane.width / 2, y = this.pane.height / 2): void {
    this.isVisiting = false;
    this.manual = zoomAt(this.camera, factor, { x, y });
  }

  /** Follows what happens again; asked for once more, shows all of the picture. */
  fit(): void {
    const isReadable = showWhole(this.seen.bounds, this.pane).scale >= OVERVIEW;
    const isFollowing = this.manual === null || this.isVisiting;
    this.showsWhole = isFollowing && !isReadable ? !this.showsWhole : false;
    this.follow();
  }

  /**
   * What has been singled out and the step at hand: where the run goes on in a view in which it cannot be read, the view
   * comes back to it.
   */
  attend(isolation: unknown, segment: number): void {
    untrack(() => {
      const isSame = isolation === this.attended.isolation;
      const isLost = segment !== this.attended.segment && this.camera.scale < OVERVIEW - 0.001;
      this.attended = { isolation, segment };
      if (isLost) this.showsWhole = false;
      if (!isSame || isLost) this.follow();
    });
  }

  follow(): void {
    this.isVisiting = false;
    this.manual = null;
  }

  /** Brings what was chosen elsewhere into view; null goes back. */
  visit(place: Rect | null): void {
    if (this.isVisiting) this.manual = null;
    this.isVisiting = false;
    if (!place || isInView(place, this.camera, this.pane)) return;
    this.isVisiting = true;
    this.manual = centreOn(place, this.camera, this.pane);
  }

  /** To the part of the picture with this centre. */
  lookAt(point: Point): void {
    this.isVisiting = false;
    this.manual = lookAt(point, this.seen.bounds, this.camera, this.pane);
  }

  /** Brings an element into view. */
  reveal(place: Rect | null): void {
    if (place && !isInView(place, this.camera, this.pane))
      this.manual = centreOn(place, this.camera, this.pane);
  }
}

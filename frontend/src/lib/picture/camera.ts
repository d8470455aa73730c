import type { Point, Rect } from './layout';

/** The picture is drawn at `scale`, moved by `x`, `y`. */
export interface Camera extends Point {
  scale: number;
}

export interface Pane {
  width: number;
  height: number;
  /** What other panels cover, or what is to stay free. */
  insets: { top: number; right: number; bottom: number; left: number };
}

/** The picture is not shrunk below this by itself, so that its words stay readable; then the view follows what happens. */
export const READABLE = 0.8;
/** Where there is little room, an overview is worth more: a reader comes nearer by two fingers. */
const READABLE_NARROW = 0.6;
const NARROW = 560;
/** Below these the words of a picture give way: in close rows those that explain first, then the names. */
const SPARING = 0.72;
const WORDLESS = 0.58;

/** Which words of a picture have room at a scale: they are never smaller than they can be read. */
export function legibility(scale: number, areClose: boolean): 'all' | 'names' | 'none' {
  return scale < WORDLESS ? 'none' : areClose && scale < SPARING ? 'names' : 'all';
}

const LEAST_SCALE = 0.05;
const MOST_SCALE = 2;

interface Size {
  width: number;
  height: number;
}

/** The part of the pane that nothing covers. */
export function freePart(pane: Pane): Rect {
  const { top, right, bottom, left } = pane.insets;
  return {
    x: left,
    y: top,
    width: Math.max(1, pane.width - left - right),
    height: Math.max(1, pane.height - top - bottom),
  };
}

/** The scale at which all of a picture is seen, never more than its full size, or than `most`. */
export function fitScale(picture: Size, pane: Pane, most = 1): number {
  const { width, height } = freePart(pane);
  return Math.min(most, width / Math.max(1, picture.width), height / Math.max(1, picture.height));
}

function centred(picture: Size, pane: Pane, scale: number): Camera {
  const { x, y, width, height } = freePart(pane);
  return {
    scale,
    x: x + (width - picture.width * scale) / 2,
    y: y + (height - picture.height * scale) / 2,
  };
}

/** All of the picture, in the middle. */
export function showWhole(picture: Size, pane: Pane): Camera {
  return centred(picture, pane, fitScale(picture, pane));
}

/** Two CSS transforms, one within the other. */
export interface Transforms {
  move: string;
  scale: string;
}

/** The CSS transforms that put a picture with these bounds before the camera. */
export function transformOf({ x, y }: Point, camera: Camera): Transforms {
  const { scale } = camera;
  return {
    move: `translate(${camera.x - x * scale}px, ${camera.y - y * scale}px)`,
    scale: `scale(${scale})`,
  };
}

/** `showWhole` as CSS transforms, for a pane whose size only the browser knows: the picture before any script. */
export function showWholeInCss(picture: Rect, { insets }: Pick<Pane, 'insets'>): Transforms {
  const { top, right, bottom, left } = insets;
  const width = `(100cqw - ${left + right}px)`;
  const height = `(100cqh - ${top + bottom}px)`;
  const ratio = (space: string, size: number) => `tan(atan2(${space}, ${size}px))`;
  const scale = `min(1, ${ratio(width, picture.width)}, ${ratio(height, picture.height)})`;
  const at = (start: number, space: string, from: number, size: number) =>
    `calc(${start}px + ${space} / 2 - ${from + size / 2}px * ${scale})`;
  const x = at(left, width, picture.x, picture.width);
  const y = at(top, height, picture.y, picture.height);
  return { move: `translate(${x}, ${y})`, scale: `scale(${scale})` };
}

/** Moves so far that nothing but picture is seen, where the picture is larger than the room. */
function held(offset: number, start: number, space: number, size: number): number {
  if (size <= space) return start + (space - size) / 2;
  return Math.min(start, Math.max(start + space - size, offset));
}

/** All of the picture if it is readable so; otherwise a readable part with `focus` in the middle. */
export function followFocus(
  picture: Size,
  pane: Pane,
  focus: Rect | null,
  { least: legible, most = 1 }: { least?: number; most?: number } = {},
): Camera {
  const fit = fitScale(picture, pane, most);
  const least = legible ?? (pane.width < NARROW ? READABLE_NARROW : READABLE);
  if (fit >= least) return centred(picture, pane, fit);
  const { x, y, width, height } = freePart(pane);
  const scale = Math.max(fit, legible ?? READABLE);
  const point = focus
    ? { x: focus.x + focus.width / 2, y: focus.y + focus.height / 2 }
    : { x: picture.width / 2, y: 0 };
  return {
    scale,
    x: held(x + width / 2 - point.x * scale, x, width, picture.width * scale),
    y: held(y + height / 2 - point.y * scale, y, height, picture.height * scale),
  };
}

/** The part of the free room that a band at the top of a picture may take to stay in sight. */
const MOST_BAND = 0.6;

/** The part that it takes where it could be smaller. */
export const FAIR_BAND = 0.4;

/** The height of the free part of a pane. */
export function freeHeight(pane: Pane): number {
  return freePart(pane).height;
}

/** Does a band at the top of a picture that is so high stay in sight at this scale? */
export function keepsBand(height: number, pane: Pane, scale: number, most = MOST_BAND): boolean {
  return height * scale <= most * freeHeight(pane);
}

/** As `followFocus`, where the first `band` of the picture's height stay in sight and the rest moves beneath them. */
export function followBeneath(
  picture: Size,
  pane: Pane,
  focus: Rect | null,
  band: number,
  scales: { least: number; most: number },
): Camera {
  const free = freePart(pane);
  const kept = band * scales.least;
  if (kept === 0 || !keepsBand(band, pane, scales.least) || picture.height * scales.least <= free.height)
    return followFocus(picture, pane, focus, scales);
  const beneath = { ...pane, insets: { ...pane.insets, top: pane.insets.top + kept } };
  const rest = { width: picture.width, height: picture.height - band };
  const camera = followFocus(rest, beneath, focus && { ...focus, y: focus.y - band }, scales);
  return { ...camera, y: camera.y - band * camera.scale };
}

/** How far a band at the top of a picture is moved down to stay in sight, in the picture's own measure. */
export function liftOf(band: number, camera: Camera, pane: Pane): number {
  const free = freePart(pane);
  if (!keepsBand(band, pane, camera.scale)) return 0;
  return Math.max(0, (free.y - camera.y) / camera.scale);
}

/** Zooms so that the point of the pane under the pointer stays. */
export function zoomAt(camera: Camera, factor: number, point: Point): Camera {
  const scale = Math.max(LEAST_SCALE, Math.min(MOST_SCALE, camera.scale * factor));
  const ratio = scale / camera.scale;
  return {
    scale,
    x: point.x - (point.x - camera.x) * ratio,
    y: point.y - (point.y - camera.y) * ratio,
  };
}

/** Is all of an element within the free part of the pane? */
export function isInView(place: Rect, camera: Camera, pane: Pane): boolean {
  const free = freePart(pane);
  const x = camera.x + place.x * camera.scale;
  const y = camera.y + place.y * camera.scale;
  return (
    x >= free.x &&
    y >= free.y &&
    x + place.width * camera.scale <= free.x + free.width &&
    y + place.height * camera.scale <= free.y + free.height
  );
}

/** How far a picture may stand out of the free part and still count as seen whole, in pixels. */
const SLACK = 24;

/** Is a picture so large, or moved so far, that a part of it is out of sight? */
export function isCut(picture: Size, camera: Camera, pane: Pane): boolean {
  const { x, y, width, height } = freePart(pane);
  const { scale } = camera;
  return (
    camera.x < x - SLACK ||
    camera.y < y - SLACK ||
    camera.x + picture.width * scale > x + width + SLACK ||
    camera.y + picture.height * scale > y + height + SLACK
  );
}

/** The part of the picture that is seen, in the picture's own measure. */
export function windowOf(picture: Size, camera: Camera, pane: Pane): Rect {
  const free = freePart(pane);
  const { scale } = camera;
  const within = (at: number, size: number) => Math.max(0, Math.min(size, at));
  const left = within((free.x - camera.x) / scale, picture.width);
  const top = within((free.y - camera.y) / scale, picture.height);
  const right = within((free.x + free.width - camera.x) / scale, picture.width);
  const bottom = within((free.y + free.height - camera.y) / scale, picture.height);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The part that is drawn is larger than the part that is seen, and changes by steps. */
const MARGIN = 200;
const STEP = 256;

/** The part of a picture with these bounds that is worth drawing: the pane and some room around it. */
export function partToDraw({ x, y }: Point, camera: Camera, { width, height }: Size): Rect {
  const { scale } = camera;
  const down = (at: number) => Math.floor(at / STEP) * STEP;
  const left = down((-camera.x - MARGIN) / scale + x);
  const top = down((-camera.y - MARGIN) / scale + y);
  const right = down((width - camera.x + MARGIN) / scale + x) + STEP;
  const bottom = down((height - camera.y + MARGIN) / scale + y) + STEP;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Have two rectangles a point in common? */
export function overlap(one: Rect, other: Rect): boolean {
  return (
    one.x <= other.x + other.width &&
    other.x <= one.x + one.width &&
    one.y <= other.y + other.height &&
    other.y <= one.y + one.height
  );
}

/** The same scale, moved so that a part with this centre is seen, and nothing but picture where it is larger than the room. */
export function lookAt(point: Point, picture: Size, camera: Camera, pane: Pane): Camera {
  const { x, y, width, height } = freePart(pane);
  const { scale } = camera;
  return {
    scale,
    x: held(x + width / 2 - point.x * scale, x, width, picture.width * scale),
    y: held(y + height / 2 - point.y * scale, y, height, picture.height * scale),
  };
}

/** The same scale, with an element in the middle. */
export function centreOn(place: Rect, camera: Camera, pane: Pane): Camera {
  const { x, y, width, height } = freePart(pane);
  const { scale } = camera;
  return {
    scale,
    x: x + width / 2 - (place.x + place.width / 2) * scale,
    y: y + height / 2 - (place.y + place.height / 2) * scale,
  };
}

/** A graph that is lower than this has no room for a map, and its tools stand at the top. */
const LOW = 300;

/** Has a graph so little height that all of it is for the picture? The page has been enlarged, or the window is flat. */
export function isLow({ width, height }: { width: number; height: number }): boolean {
  return width >= NARROW && height < LOW;
}

/** The room for a map: below a panel at the right, which covers `right` pixels, else between the tools. */
export function roomForMap(pane: { width: number; height: number }, right: number) {
  if (isLow(pane) && right <= 300) return { width: 0, height: 0 };
  if (right > 300) return { width: Math.min(330, right - 48), height: Math.min(112, pane.height * 0.15) };
  return pane.width < NARROW ? { width: 116, height: 88 } : { width: 200, height: 60 };
}

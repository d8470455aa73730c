import { expect, it } from 'vitest';
import {
  centreOn,
  fitScale,
  followBeneath,
  followFocus,
  isCut,
  isInView,
  isLow,
  legibility,
  liftOf,
  lookAt,
  overlap,
  partToDraw,
  READABLE,
  roomForMap,
  showWhole,
  windowOf,
  zoomAt,
  type Pane,
} from './camera';

const pane: Pane = { width: 800, height: 600, insets: { top: 100, right: 0, bottom: 0, left: 0 } };

it('never enlarges a picture by itself', () => {
  expect(fitScale({ width: 100, height: 100 }, pane)).toBe(1);
  expect(followFocus({ width: 100, height: 100 }, pane, null)).toEqual({ scale: 1, x: 350, y: 300 });
});

it('enlarges one where it is told how far', () => {
  expect(followFocus({ width: 100, height: 100 }, pane, null, { most: 1.25 }).scale).toBe(1.25);
  expect(followFocus({ width: 700, height: 100 }, pane, null, { most: 1.25 }).scale).toBeCloseTo(800 / 700);
});

it('shrinks to fit into the free part, as long as that is readable', () => {
  const { scale, y } = followFocus({ width: 400, height: 625 }, pane, null);
  expect(scale).toBe(0.8);
  expect(y).toBe(100);
});

it('follows the focus in a picture too large to read, and shows nothing beyond its ends', () => {
  const picture = { width: 400, height: 5000 };
  const place = { x: 150, width: 100, height: 40 };
  const middle = followFocus(picture, pane, { ...place, y: 2480 });
  expect(middle.scale).toBe(READABLE);
  expect(middle.y + 2500 * READABLE).toBeCloseTo(350);
  expect(followFocus(picture, pane, { ...place, y: 0 }).y).toBe(100);
  expect(followFocus(picture, pane, { ...place, y: 4960 }).y + 5000 * READABLE).toBeCloseTo(600);
  expect(showWhole(picture, pane).scale).toBe(0.1);
});

it('zooms about the pointer', () => {
  const camera = zoomAt({ scale: 0.5, x: 10, y: 20 }, 2, { x: 110, y: 220 });
  expect(camera).toEqual({ scale: 1, x: -90, y: -180 });
});

it('brings an element into view', () => {
  const place = { x: 3000, y: 3000, width: 50, height: 50 };
  const camera = { scale: 1, x: 0, y: 0 };
  expect(isInView(place, camera, pane)).toBe(false);
  expect(isInView(place, centreOn(place, camera, pane), pane)).toBe(true);
});

it('shows all of a picture on a phone that it would only show a part of on a desk', () => {
  const picture = { width: 400, height: 770 };
  const place = { x: 0, y: 700, width: 10, height: 10 };
  expect(followFocus(picture, pane, place).scale).toBe(READABLE);
  expect(followFocus(picture, { ...pane, width: 390 }, place)).toMatchObject({ scale: 500 / 770, y: 100 });
});

it('knows when a part of a picture is out of sight', () => {
  const picture = { width: 400, height: 400 };
  expect(isCut(picture, { scale: 1, x: 200, y: 100 }, pane)).toBe(false);
  expect(isCut(picture, { scale: 1, x: -20, y: 100 }, pane)).toBe(false);
  expect(isCut(picture, { scale: 1, x: -60, y: 100 }, pane)).toBe(true);
  expect(isCut(picture, { scale: 1, x: 200, y: 300 }, pane)).toBe(true);
  expect(isCut(picture, { scale: 2, x: 0, y: 100 }, pane)).toBe(true);
});

it('tells which part of a picture is seen, and looks at another', () => {
  const picture = { width: 1600, height: 5000 };
  const camera = { scale: 0.5, x: 0, y: -900 };
  expect(windowOf(picture, camera, pane)).toEqual({ x: 0, y: 2000, width: 1600, height: 1000 });
  const moved = lookAt({ x: 800, y: 3000 }, picture, camera, pane);
  expect(windowOf(picture, moved, pane)).toEqual({ x: 0, y: 2500, width: 1600, height: 1000 });
  const end = lookAt({ x: 800, y: 9000 }, picture, camera, pane);
  expect(windowOf(picture, end, pane)).toEqual({ x: 0, y: 4000, width: 1600, height: 1000 });
});

it('draws more than is seen, and the same part until the camera has moved far', () => {
  const corner = { x: -40, y: 0 };
  const part = partToDraw(corner, { scale: 1, x: 0, y: -1000 }, pane);
  expect(part).toEqual({ x: -256, y: 768, width: 1280, height: 1280 });
  expect(partToDraw(corner, { scale: 1, x: 0, y: -1010 }, pane)).toEqual(part);
  expect(partToDraw(corner, { scale: 1, x: 0, y: -2000 }, pane)).not.toEqual(part);
  expect(overlap(part, { x: 0, y: 900, width: 10, height: 10 })).toBe(true);
  expect(overlap(part, { x: 0, y: 100, width: 10, height: 10 })).toBe(false);
});

it('keeps a band at the top in sight and moves the rest beneath it', () => {
  const picture = { width: 400, height: 5000 };
  const focus = { x: 150, width: 100, height: 40, y: 2480 };
  const camera = followBeneath(picture, pane, focus, 100, { least: 0.8, most: 1 });
  expect(camera.scale).toBe(0.8);
  // In the middle between the band, 80 px high under the inset of 100, and the lower edge.
  expect(camera.y + 2500 * 0.8).toBeCloseTo((180 + 600) / 2);
  expect(camera.y + liftOf(100, camera, pane) * 0.8).toBeCloseTo(100);
  const top = followBeneath(picture, pane, null, 100, { least: 0.8, most: 1 });
  expect([top.y, liftOf(100, top, pane)]).toEqual([100, 0]);
});

it('lets a band go that would leave no room, and moves nothing where all is seen', () => {
  const scales = { least: 0.8, most: 1 };
  const focus = { x: 0, y: 2480, width: 100, height: 40 };
  for (const [height, band] of [
    [5000, 400],
    [500, 100],
  ] as const) {
    const picture = { width: 400, height };
    const camera = followBeneath(picture, pane, focus, band, scales);
    expect(camera).toEqual(followFocus(picture, pane, focus, scales));
    expect(liftOf(band, camera, pane)).toBe(0);
  }
});

it('leaves out the words that have no room in a picture that was made small', () => {
  expect([1, 0.8, 0.7, 0.5].map((scale) => legibility(scale, true))).toEqual(['all', 'all', 'names', 'none']);
  expect([1, 0.6, 0.5].map((scale) => legibility(scale, false))).toEqual(['all', 'all', 'none']);
});

it('gives the height of an enlarged page to the picture', () => {
  const low = { width: 720, height: 250 };
  expect(isLow(low)).toBe(true);
  expect(roomForMap(low, 20).height).toBe(0);
  expect(roomForMap({ width: 720, height: 460 }, 20).height).toBeGreaterThan(0);
  expect(isLow({ width: 390, height: 250 })).toBe(false);
});

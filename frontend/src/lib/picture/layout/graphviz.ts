import { instance, type Viz } from '@viz-js/viz';
import { airAbove, toDot } from './dot';
import type { Curve, LayoutDraft, LayoutRequest, Point, Rect } from './types';

interface DrawnObject {
  name: string;
  pos?: string;
}

interface DrawnEdge {
  id?: string;
  pos?: string;
}

interface Drawn {
  bb: string;
  objects?: DrawnObject[];
  edges?: DrawnEdge[];
}

let engine: Promise<Viz> | null = null;

function numbers(text: string): number[] {
  return text.split(',').map(Number);
}

function point(text: string, height: number): Point {
  const [x = 0, y = 0] = numbers(text);
  return { x, y: height - y };
}

/** Graphviz draws with the flow of data; gradients go against it. */
function route(pos: string, height: number): Curve {
  const points = pos.split(/\s+/).filter((part) => !/^[es],/.test(part));
  return points.map((part) => point(part, height)).reverse();
}

function placesOf(request: LayoutRequest, drawn: Drawn, height: number): Record<string, Rect> {
  const centres = new Map(
    (drawn.objects ?? []).flatMap((object) =>
      object.pos ? [[object.name, point(object.pos, height)] as const] : [],
    ),
  );
  const places: Record<string, Rect> = {};
  const air = airAbove(request);
  for (const node of request.nodes) {
    const { x, y } = centres.get(node.id) ?? { x: 0, y: 0 };
    const { width, height: tall } = node;
    places[node.id] = {
      x: x - width / 2,
      y: y - tall / 2 + (air.get(node.id) ?? 0) / 2,
      width,
      height: tall,
    };
  }
  return places;
}

/** Lets Graphviz place the nodes. */
export async function layOutWithGraphviz(request: LayoutRequest): Promise<LayoutDraft> {
  engine ??= instance();
  const viz = await engine;
  const drawn = viz.renderJSON(toDot(request)) as Drawn;
  const height = numbers(drawn.bb)[3] ?? 0;
  const routes: Record<string, Curve> = {};
  for (const edge of drawn.edges ?? []) if (edge.id && edge.pos) routes[edge.id] = route(edge.pos, height);
  return { places: placesOf(request, drawn, height), routes };
}

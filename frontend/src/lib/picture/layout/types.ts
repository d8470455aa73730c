/** Pixels everywhere; y grows downward; a place is a node's top left corner. */
export interface Point {
  x: number;
  y: number;
}

export interface Rect extends Point {
  width: number;
  height: number;
}

export interface LayoutNode {
  id: string;
  width: number;
  height: number;
  /** It stands in the box of a folded group, so far from its corner. */
  within?: { box: string; x: number; y: number };
  /** It stands above all else, and what stands in it is linked like a node of its own. */
  isFirst?: boolean;
  /** It stands at the right of another node. */
  beside?: string;
}

export interface LayoutLink {
  id: string;
  source: string;
  target: string;
  /** Which operand of the target it is, where operands have an order. */
  operand: { index: number; of: number } | null;
  /** A chip flies here, so it wants room. */
  flies: boolean;
}

export interface LayoutCluster {
  id: string;
  members: string[];
  /** The id of the frame around it. */
  parent: string | null;
  /** Height of the line with its title, and nodes that stand in a column at its right. */
  title?: number;
  shelf?: string[];
  /** Its least width, for the title. */
  least?: number;
}

export interface LayoutRequest {
  nodes: LayoutNode[];
  links: LayoutLink[];
  /** Frames: their members, inner ones' too, are kept together. Outer frames come before those within. */
  clusters: LayoutCluster[];
  /** Smallest vertical distance between neighbours, and the larger one above a function, where chips fly. */
  gap: number;
  flight: number;
  /** Smallest horizontal distance. */
  space: number;
  /** The width that a picture should not exceed. */
  room?: number;
}

/** Cubic Bézier pieces: start, then two control points and an end for each. It runs from target to source, as gradients do. */
export type Curve = Point[];

export interface LayoutResult {
  width: number;
  height: number;
  places: Record<string, Rect>;
  curves: Record<string, Curve>;
  /** The places of frames, where the engine has set them. */
  frames?: Record<string, Rect>;
}

/** What an engine finds: places, and for links that bend around nodes the way they take. */
export interface LayoutDraft {
  places: Record<string, Rect>;
  routes: Record<string, Curve>;
  frames?: Record<string, Rect>;
}

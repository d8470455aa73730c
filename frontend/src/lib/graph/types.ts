import type { NodeRecord, Region, TensorRecord } from '../../api/types';
import type { Group } from './folding';

/** A tensor of the graph. */
export interface Card {
  id: string;
  /** The same for what stands in its place in another turn. */
  key: string;
  tensor: TensorRecord;
  /** The tensor's name, or the expression that made it. */
  label: string;
  /** Number of the version, where a name stands for several; null shows the shape. */
  version: number | null;
  /** Unnamed values between functions are drawn small. */
  compact: boolean;
  /** No gradient flows here. */
  constant: boolean;
  /** It is a leaf that requires grad, so it has a `.grad`. */
  bucket: boolean;
  /** A gradient passes here, or was asked for here. */
  gradient: boolean;
  /** It shares a name with another card, so its line tells them apart. */
  ambiguous: boolean;
  /** The group on whose shelf it stands, being a parameter of that module. */
  shelf: string | null;
  /** All leaves stand together above the picture, this one among them. */
  gathered: boolean;
  /** The function that made it, where the two are drawn as one. */
  maker: Pill | null;
  /** The number of the turn that made it, where that turn is not on screen. */
  from: number | null;
  /** Before it stand more of such tensors, which are not drawn. */
  gap: boolean;
}

/** A function of the graph. */
export interface Pill {
  id: string;
  node: NodeRecord;
  label: string;
  /** What a CopySlices writes, with the shape of the whole tensor. */
  region: Region | null;
  constant: boolean;
  /** Functions that belong to this one's step: the `t` of a linear layer's weight. */
  absorbed: NodeRecord[];
}

/** A folded group. `value` is the unnamed tensor that it hands on, where there is exactly one. */
export interface FoldedGroup {
  id: string;
  group: Group;
  value: TensorRecord | null;
  /** A gradient passes at that tensor. */
  gradient: boolean;
  /** The parameters of the modules within: ids of cards. */
  shelf: string[];
}

/** A drawn connection. Edges that a fold brings together share one; it then carries several ids. */
export interface Link {
  id: string;
  source: string;
  target: string;
  edges: string[];
  /** Which operand it is, and how many the function shows; null on the way out of a function. */
  operand: { index: number; of: number } | null;
  /** It leads into a function: grad_inputs fly here. */
  flies: boolean;
  constant: boolean;
  /** It is drawn while something moves along it: at other times the name says where it leads. */
  quiet?: boolean;
}

/** Two tensors of one storage. */
export interface Tie {
  id: string;
  base: string;
  view: string;
}

/**
 * How a graph is drawn. `cards`: large ones with all numbers. `rows`: a function and its result are one row, modules
 * have shelves, what does not fit is a heat map.
 */
export type Style = 'cards' | 'rows';

/** The graph as it is drawn: independent of time and of positions. */
export interface GraphModel {
  style: Style;
  cards: Card[];
  pills: Pill[];
  foldedGroups: FoldedGroup[];
  links: Link[];
  ties: Tie[];
  /** Groups that are unfolded: frames around their members, outer ones first. */
  groupFrames: GroupFrame[];
  /** The drawn element that stands for a tensor or a function. */
  elementOf: Map<string, string>;
}

/** The frame of an unfolded group. */
export interface GroupFrame {
  group: Group;
  /** All elements within, those of inner frames too. */
  members: string[];
  /** The id of the frame around it. */
  parent: string | null;
  /** How many frames there are within, one in the other. */
  layers: number;
  /** The parameters of the module: ids of cards. */
  shelf: string[];
}

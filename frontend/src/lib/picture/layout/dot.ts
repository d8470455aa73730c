import type { LayoutCluster, LayoutLink, LayoutNode, LayoutRequest } from './types';

/** Above this many nodes Graphviz is told to try less hard. */
const PATIENT = 120;

/** How much a link wants to be straight: results stay under their functions, and chains of functions under each other. */
const WEIGHT = { result: 24, chain: 6, leaf: 1 };

function quote(id: string): string {
  return `"${id.replace(/["\\]/g, (character) => `\\${character}`)}"`;
}

/** Functions are given the room above them in which chips fly: taller nodes are cheaper than longer edges. */
export function airAbove(request: LayoutRequest): Map<string, number> {
  const air = Math.max(0, request.flight - request.gap);
  return new Map(request.links.filter((link) => link.flies).map((link) => [link.target, air]));
}

function nodeLine(node: LayoutNode, air: number): string {
  const width = (node.width / 72).toFixed(4);
  const height = ((node.height + air) / 72).toFixed(4);
  return `${quote(node.id)} [width=${width}, height=${height}];`;
}

function weightOf(link: LayoutLink, made: Set<string>): number {
  if (!link.flies) return WEIGHT.result;
  return made.has(link.source) ? WEIGHT.chain : WEIGHT.leaf;
}

function linkLine(link: LayoutLink, made: Set<string>): string {
  const weight = weightOf(link, made);
  return `${quote(link.source)}:s -> ${quote(link.target)}:n [id=${quote(link.id)}, weight=${weight}];`;
}

/** A frame with the frames in it. Its label is room for the title. */
function clusterLine(cluster: LayoutCluster, all: LayoutCluster[]): string {
  const inner = all.filter((each) => each.parent === cluster.id);
  const taken = new Set(inner.flatMap((each) => each.members));
  const own = cluster.members.filter((id) => !taken.has(id)).map(quote);
  const parts = [...own, ...inner.map((each) => clusterLine(each, all))];
  return `subgraph ${quote(`cluster_${cluster.id}`)} { margin=14; label=" "; fontsize=9; ${parts.join('; ')} }`;
}

/**
 * The request in Graphviz's language, one point to the pixel. `ordering=in` keeps operands from left to right in the
 * order of the links.
 */
export function toDot(request: LayoutRequest): string {
  const { nodes, links, clusters, gap, space } = request;
  const large = nodes.length > PATIENT;
  const effort = large ? 'nslimit=1; nslimit1=1; mclimit=0.3;' : '';
  const air = airAbove(request);
  const made = new Set(links.map((link) => link.target));
  const inOrder = links.toSorted((x, y) => (x.operand?.index ?? 0) - (y.operand?.index ?? 0));
  return [
    'digraph {',
    `graph [ordering=in, ranksep=${gap / 72}, nodesep=${space / 72}, splines=true]; ${effort}`,
    'node [shape=box, fixedsize=true, label=""]; edge [arrowhead=none];',
    ...nodes.map((node) => nodeLine(node, air.get(node.id) ?? 0)),
    ...clusters.filter(({ parent }) => parent === null).map((each) => clusterLine(each, clusters)),
    ...inOrder.map((link) => linkLine(link, made)),
    '}',
  ].join('\n');
}

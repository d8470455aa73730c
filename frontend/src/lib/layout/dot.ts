import type { LayoutLink, LayoutNode, LayoutRequest } from './types';

/** Above this many nodes Graphviz is told to try less hard. */
const PATIENT = 120;

function quote(id: string): string {
  return `"${id.replace(/["\\]/g, (character) => `\\${character}`)}"`;
}

function operandCount(links: LayoutLink[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { target, operand } of links) if (operand && operand.of > 1) counts.set(target, operand.of);
  return counts;
}

/** A box of fixed size, its width divided among the operands. */
function label(node: LayoutNode, operands: number): string {
  const width = Math.max(1, Math.floor(node.width / operands));
  const cells = Array.from(
    { length: operands },
    (_, k) => `<TD PORT="i${k}" FIXEDSIZE="TRUE" WIDTH="${width}" HEIGHT="${Math.round(node.height)}"></TD>`,
  );
  return `<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>${cells.join('')}</TR></TABLE>>`;
}

function nodeLine(node: LayoutNode, operands: number | undefined): string {
  const id = quote(node.id);
  if (operands) return `${id} [shape=plain, fixedsize=false, label=${label(node, operands)}];`;
  const width = (node.width / 72).toFixed(4);
  const height = (node.height / 72).toFixed(4);
  return `${id} [width=${width}, height=${height}];`;
}

function linkLine(link: LayoutLink, flight: number): string {
  const port = link.operand && link.operand.of > 1 ? `:i${link.operand.index}:n` : ':n';
  const length = link.operand ? `, minlen=${flight}` : '';
  return `${quote(link.source)}:s -> ${quote(link.target)}${port} [id=${quote(link.id)}${length}];`;
}

/** The request in Graphviz's language, one point to the pixel. */
export function toDot(request: LayoutRequest): string {
  const { nodes, links, clusters, gap, flight, space } = request;
  const operands = operandCount(links);
  const large = nodes.length > PATIENT;
  const effort = large ? 'nslimit=1; nslimit1=1; mclimit=0.3;' : '';
  const steps = Math.max(1, Math.round(flight / gap / (large ? 2 : 1)));
  const inOrder = links.toSorted((x, y) => (x.operand?.index ?? 0) - (y.operand?.index ?? 0));
  return [
    'digraph {',
    `graph [ordering=in, ranksep=${gap / 72}, nodesep=${space / 72}, splines=true]; ${effort}`,
    'node [shape=box, fixedsize=true, label=""]; edge [arrowhead=none];',
    ...nodes.map((node) => nodeLine(node, operands.get(node.id))),
    ...clusters.map(
      ({ id, members }) =>
        `subgraph ${quote(`cluster_${id}`)} { margin=16; ${members.map(quote).join('; ')} }`,
    ),
    ...inOrder.map((link) => linkLine(link, steps)),
    '}',
  ].join('\n');
}

import type { NodeRecord } from '../../api/types';

/** Shorter runs of functions need no paragraphs. */
const LEAST = 30;

/** A paragraph has so many statements at the least where a long run is cut, and there are so many paragraphs at the most. */
const STATEMENTS = 8;
const PARAGRAPHS = 16;

export interface Paragraph {
  /** The comment over it, else its lines: `lines 3 to 9`. */
  title: string;
  nodes: NodeRecord[];
}

interface Block {
  first: number;
  comment: string;
}

/** Where the paragraphs of a program begin: after blank lines and comments. */
function blocksOf(source: string): Block[] {
  const blocks: Block[] = [];
  let comment = '';
  let isNew = true;
  source.split('\n').forEach((text, k) => {
    const line = text.trim();
    if (line === '') {
      isNew = true;
      comment = '';
    } else if (line.startsWith('#')) {
      comment = isNew || comment === '' ? line.replace(/^[#\s]+/, '') : comment;
      isNew = true;
    } else if (isNew) {
      blocks.push({ first: k + 1, comment });
      isNew = false;
      comment = '';
    }
  });
  return blocks;
}

/** The functions of a long run of statements, by paragraphs; long paragraphs are cut into pieces of one length. */
export function paragraphsOf(source: string, nodes: NodeRecord[]): Paragraph[] {
  if (nodes.length < LEAST) return [];
  const blocks = blocksOf(source);
  const found: { block: number; lines: number[]; nodes: NodeRecord[] }[] = [];
  let block = -1;
  for (const node of nodes) {
    const line = node.span?.line ?? 0;
    const mine = blocks.findLastIndex(({ first }) => first <= line);
    let open = found.at(-1);
    if (!open || mine !== block) found.push((open = { block: mine, lines: [], nodes: [] }));
    block = mine;
    open.nodes.push(node);
    if (open.lines.at(-1) !== line) open.lines.push(line);
  }
  const statements = found.reduce((sum, { lines }) => sum + lines.length, 0);
  const most = Math.max(STATEMENTS, Math.ceil(statements / PARAGRAPHS));
  return found.flatMap(({ block, lines, nodes: members }) =>
    cut(members, lines, most, blocks[block]?.comment ?? ''),
  );
}

function cut(nodes: NodeRecord[], lines: number[], most: number, comment: string): Paragraph[] {
  const pieces = Math.max(1, Math.ceil(lines.length / most));
  const each = Math.ceil(lines.length / pieces);
  return Array.from({ length: pieces }, (_, k) => {
    const mine = new Set(lines.slice(k * each, (k + 1) * each));
    const members = nodes.filter((node) => mine.has(node.span?.line ?? 0));
    const [first, last] = [Math.min(...mine), Math.max(...mine)];
    return { title: pieces === 1 && comment ? comment : `${first}–${last}`, nodes: members };
  }).filter((piece) => piece.nodes.length > 0);
}

import { oneLine } from './names';

const LONGEST_CODE = 46;
const LONGEST_TITLE = 26;

/** A long name without its middle. */
export function middleCut(text: string, most = LONGEST_TITLE): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

/** Code in one line: a long call loses the path of its function, then its arguments, never its name. */
export function shortCode(code: string): string {
  const line = oneLine(code);
  if (line.length <= LONGEST_CODE) return line;
  const call = /^([\w.]+)\(/.exec(line);
  const path = call?.[1] ?? '';
  const name = path.slice(path.lastIndexOf('.') + 1);
  const bare = call ? name + line.slice(path.length) : line;
  if (bare.length <= LONGEST_CODE) return bare;
  const end = call && bare.endsWith(')') ? '…)' : '…';
  return bare.slice(0, LONGEST_CODE - end.length).trimEnd() + end;
}

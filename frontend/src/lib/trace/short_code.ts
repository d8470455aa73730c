const LONGEST_CODE = 46;
const LONGEST_TITLE = 26;

/** A text without its line breaks. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** What an expression is called; of a statement, as what a loop goes through, only its head: `for x in loader`. */
export function codeName(text: string): string {
  const head = /^(?:for|while|with|if)\b[^:\n]*(?=:)/.exec(text)?.[0];
  return oneLine(head ?? text);
}

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

/**
 * A name of at most so many letters: of a call the arguments go first, then the path to what is called, then words of it:
 * `dist.log_prob(action)` is `dist.log_prob(…)`, then `log_prob(…)`, then `…prob(…)`.
 */
export function shortName(name: string, most: number): string {
  if (name.length <= most) return name;
  const [, text = name, index = ''] = /^(.*\))(\[\w{1,3}\])$/s.exec(name) ?? [];
  const called = text.slice(0, lastBracket(text));
  if (!/^[\w.()[\]]+$/.test(called)) return `${name.slice(0, most - 1).replace(/[\s.,([]+$/, '')}…`;
  const end = (text.endsWith('()') ? '()' : '(…)') + index;
  const last = called.slice(called.lastIndexOf('.') + 1);
  const fitting = [called, last].find((one) => one.length + end.length <= most);
  if (fitting !== undefined) return fitting + end;
  return `…${last.slice(end.length + 1 - most).replace(/^[^_]{0,6}_/, '')}${end}`;
}

/** Where the bracket opens that is closed at the end of a text; 0 where none is. */
function lastBracket(text: string): number {
  let depth = 0;
  for (let k = text.length - 1; text.endsWith(')') && k > 0; k -= 1) {
    if (text[k] === ')') depth += 1;
    else if (text[k] === '(') depth -= 1;
    if (depth === 0) return k;
  }
  return 0;
}

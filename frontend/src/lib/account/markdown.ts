import type { Messages } from '../../i18n/en';
import type { Account, TensorLine, Told } from './account';

export interface Frame {
  title: string;
  /** The address of the run, null where there is none. */
  link: string | null;
  /** The graph in Mermaid's language. */
  diagram: string | null;
}

/** A block of code that nothing in it can end. */
function fenced(language: string, text: string): string {
  const ticks = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...ticks.map((run) => run.length + 1)));
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

/** Code within a line. */
function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A cell of a table ends where a bar is. */
function cell(text: string | null): string {
  return text === null ? '' : code(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** The program, its graph, every number and every step, as Markdown. */
export function markdownOf(t: Messages, account: Account, { title, link, diagram }: Frame): string {
  const words = t.away.account;
  const sections = [
    `# ${title}`,
    link && `[${t.away.open}](${link})`,
    fenced('python', account.program),
    account.output.trim() && `**${t.output.title}**\n\n${fenced('text', account.output)}`,
    account.error && fenced('text', account.error),
    ...account.notes.map((note) => `> ${note.replaceAll('\n', '\n> ')}`),
    diagram && fenced('mermaid', diagram),
    account.tensors.length > 0 && `## ${words.tensors}\n\n${table(t, account.tensors)}`,
    ...account.chapters.map(({ heading, steps }) => `## ${heading}\n\n${steps.map(line).join('\n')}`),
  ];
  return `${sections.filter((section) => section !== null && section !== false && section !== '').join('\n\n')}\n`;
}

function table(t: Messages, tensors: readonly TensorLine[]): string {
  const words = t.away.account;
  const head = [words.name, words.shape, words.value, '.grad'];
  const rows = tensors.map(({ name, shape, value, grad }) => [cell(name), shape, cell(value), cell(grad)]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function line({ sentence, numbers }: Told, k: number): string {
  const told = numbers.map(({ name, text }) => `   - ${code(name)} = ${code(text)}`);
  return [`${k + 1}. ${sentence}`, ...told].join('\n');
}

import type { LessonHead } from '../../api/types';
import type { Messages } from '../../i18n/en';
import { i18n } from '../../i18n/index.svelte';
import type { Command } from '../../lib/page/keys';
import { shortcutsOf, use } from '../../lib/page/shortcuts';
import { address } from '../../state/address.svelte';
import { lessons } from '../../state/lessons.svelte';
import { session } from '../../state/session.svelte';
import { formats } from './formats';

/** Something that can be done, by its name. */
export interface Item {
  group: string;
  name: string;
  about: string;
  keys: string;
  run: () => void;
}

/** The commands of keys alone, in the order in which the help tells them. */
function commands(t: Messages, run: (command: Command) => void): Item[] {
  const all: [Command, string, string][] = [
    ['toggle', t.help.play, t.key.space],
    ['back', t.transport.back, '←'],
    ['forward', t.transport.forward, '→'],
    ['first', t.transport.first, t.key.home],
    ['last', t.transport.last, t.key.end],
    ['search', t.help.search, t.key.slash],
    ['lens', t.help.lens, t.key.lens],
    ['isolate', t.help.isolate, t.key.isolate],
    ['fix', t.help.fix, t.error.key],
    ['help', t.help.title, t.key.question],
  ];
  const here = session.chapter
    ? ([
        ['previousTurn', t.away.palette.previousTurn, 'PageUp'],
        ['nextTurn', t.away.palette.nextTurn, 'PageDown'],
        ['previousAct', t.away.palette.previousAct, '['],
        ['nextAct', t.away.palette.nextAct, ']'],
      ] satisfies [Command, string, string][])
    : [];
  return [...all, ...here].map(([command, name, keys]) => ({
    group: t.away.palette.actions,
    name,
    about: '',
    keys,
    run: () => run(command),
  }));
}

/** Keys that are commands already, whatever button has them too. */
const COMMANDS = new Set(['/', 'L', 'I', '?', 'Escape']);

/** The lessons, which are asked for when the palette opens. */
export function lessonItems(heads: readonly LessonHead[]): Item[] {
  const { t, language } = i18n;
  return heads.map(({ id, title, summary }, k) => ({
    group: t.lessons.button,
    name: `${t.lessons.region} ${k + 1} ${title[language]}`,
    about: summary[language].replaceAll('`', ''),
    keys: '',
    run: () => void address.keep().then(() => lessons.start(id)),
  }));
}

/** All that can be done on the page, examples last. */
export function itemsOf(run: (command: Command) => void, onsay: (text: string) => void): Item[] {
  const { t, language } = i18n;
  const words = t.away.palette;
  const examples = session.examples.map((example, k) => ({
    group: words.examples,
    name: `${k + 1} ${example.title[language]}`,
    about: example.summary[language],
    keys: '',
    run: () => void address.replace(example.source),
  }));
  const controls = shortcutsOf()
    .filter(({ keys }) => !keys.some((key) => COMMANDS.has(key)))
    .map(({ name, keys, control }) => ({
      group: words.actions,
      name,
      about: '',
      keys: keys[0] ?? '',
      run: () => use(control),
    }));
  const exports = formats.flatMap(({ group, items }) =>
    items.map((format) => ({
      group: words.exports,
      name: `${t.header.export}: ${t.away.formats[format][0]}`,
      about: `${t.away.groups[group]}, ${t.away.formats[format][1]}`,
      keys: '',
      run: () => void import('./export_as').then(({ exportAs }) => exportAs(format, onsay)),
    })),
  );
  return [...commands(t, run), ...controls, ...examples, ...exports];
}

/** The items that have all words of a text in them, those first whose name begins with it. */
export function found(items: readonly Item[], text: string): Item[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = ({ name, about, group }: Item) => {
    const all = `${name} ${about} ${group}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const rank = ({ name }: Item) => {
    const at = name.toLowerCase().indexOf(words.join(' '));
    return at < 0 ? 3 : at === 0 ? 0 : /\W/.test(name[at - 1] ?? '') ? 1 : 2;
  };
  return items.filter(has).sort((one, other) => (words.length > 0 ? rank(one) - rank(other) : 0));
}

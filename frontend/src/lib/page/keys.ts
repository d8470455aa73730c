/** What a key does on the page, outside of text fields. */
export type Command = 'toggle' | 'back' | 'forward' | 'first' | 'last' | 'help' | 'fix' | 'release';

const COMMANDS: Record<string, Command> = {
  ' ': 'toggle',
  ArrowLeft: 'back',
  ArrowRight: 'forward',
  Home: 'first',
  End: 'last',
  '?': 'help',
  Escape: 'release',
};

/** Elements that use keys of their own. */
const OWN_KEYS = 'input, textarea, select, dialog, [contenteditable=true], [role=menu], [role=tablist]';
/** Elements for which the space bar is a press. */
const PRESSED = 'button, a, summary, [role=button]';

/** The command of a key, null where the key belongs to what has the focus. */
export function commandOf(event: KeyboardEvent): Command | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey) return null;
  if (event.altKey) return event.key === 'Enter' ? 'fix' : null;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(OWN_KEYS)) return null;
  if (event.key === ' ' && target?.closest(PRESSED)) return null;
  return COMMANDS[event.key] ?? null;
}

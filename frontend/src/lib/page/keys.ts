/** What a key does on the page, outside of text fields. */
export type Command =
  | 'toggle'
  | 'back'
  | 'forward'
  | 'first'
  | 'last'
  | 'previousTurn'
  | 'nextTurn'
  | 'previousAct'
  | 'nextAct'
  | 'help'
  | 'search'
  | 'lens'
  | 'isolate'
  | 'fix'
  | 'palette'
  | 'release';

const COMMANDS: Record<string, Command> = {
  ' ': 'toggle',
  ArrowLeft: 'back',
  ArrowRight: 'forward',
  Home: 'first',
  End: 'last',
  PageUp: 'previousTurn',
  PageDown: 'nextTurn',
  '[': 'previousAct',
  ']': 'nextAct',
  '?': 'help',
  '/': 'search',
  l: 'lens',
  i: 'isolate',
  Escape: 'release',
};

/** Elements that use keys of their own. */
const OWN_KEYS = 'input, textarea, select, dialog, [contenteditable=true], [role=menu], [role=tablist]';
/** Of these keys a slider uses none but those that jump, and it jumps from turn to turn. */
const SLIDER = 'input[type=range]';
const SLIDER_KEYS = ['PageUp', 'PageDown', '[', ']', '?', '/'];
/** What scrolls by these keys, when it has the focus itself. */
const SCROLLING = 'div[tabindex="0"]:not([role]), [role=region][tabindex="0"]';
const SCROLL_KEYS = ['PageUp', 'PageDown'];
/** Elements for which the space bar is a press. */
const PRESSED = 'button, a, summary, [role=button]';

/** Where a key goes; null for what is no more to be seen: a dialog that has closed keeps the focus until the next frame. */
function targetOf({ target }: KeyboardEvent): Element | null {
  return target instanceof Element && !target.closest('dialog:not([open])') ? target : null;
}

/** Ctrl K, or Command K, from anywhere but another dialog: it is in no text's way. */
function isPalette(event: KeyboardEvent): boolean {
  const { key, altKey, shiftKey } = event;
  const inDialog = Boolean(targetOf(event)?.closest('dialog'));
  return key.toLowerCase() === 'k' && !altKey && !shiftKey && !inDialog;
}

/** Do the keys belong to what has the focus, as in a text? */
export function ownsKeys(event: KeyboardEvent): boolean {
  const target = targetOf(event);
  return Boolean(target?.closest(OWN_KEYS)) && !target?.matches(SLIDER);
}

/** The command of a key, null where the key belongs to what has the focus. */
export function commandOf(event: KeyboardEvent): Command | null {
  if (event.defaultPrevented) return null;
  if (event.ctrlKey || event.metaKey) return isPalette(event) ? 'palette' : null;
  if (event.altKey) return event.key === 'Enter' ? 'fix' : null;
  const target = targetOf(event);
  const isFree = target?.matches(SLIDER) && SLIDER_KEYS.includes(event.key);
  if (!isFree && target?.closest(OWN_KEYS)) return null;
  if (target?.matches(SCROLLING) && SCROLL_KEYS.includes(event.key)) return null;
  if (event.key === ' ' && target?.closest(PRESSED)) return null;
  return COMMANDS[event.key] ?? null;
}

/** A letter that opens something and is no command of the page; null where it belongs to what has the focus. */
export function openingKey(event: KeyboardEvent): string | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  return targetOf(event)?.closest(OWN_KEYS) ? null : event.key;
}

import { ownsKeys } from './keys';

/** A control that says which keys press it. */
export interface Shortcut {
  /** Its accessible name. */
  name: string;
  keys: string[];
  control: HTMLElement;
}

function keysOf(control: Element): string[] {
  return (control.getAttribute('aria-keyshortcuts') ?? '').split(/\s+/).filter((key) => key !== '');
}

function nameOf(control: Element): string {
  return (control.getAttribute('aria-label') ?? control.textContent).replace(/\s+/g, ' ').trim();
}

/** Every control on the page that can be used now and has keys of its own: the page itself is the list of them. */
export function shortcutsOf(root: ParentNode = document): Shortcut[] {
  return [...root.querySelectorAll<HTMLElement>('[aria-keyshortcuts]')]
    .filter((control) => control.checkVisibility?.() !== false && !control.matches(':disabled, dialog *'))
    .map((control) => ({ name: nameOf(control), keys: keysOf(control), control }));
}

/** Uses a control: a text is gone to, all else is pressed. */
export function use(control: HTMLElement): void {
  control.focus();
  if (!control.isContentEditable && !control.matches('input, textarea')) control.click();
}

/** The control that a key is for; null where the key belongs to what has the focus, or to none. */
export function controlFor(event: KeyboardEvent): HTMLElement | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || ownsKeys(event))
    return null;
  if (event.key.length > 1 || event.key === ' ' || document.querySelector('dialog[open]')) return null;
  const key = event.key.toUpperCase();
  return shortcutsOf().find(({ keys }) => keys.some((each) => each.toUpperCase() === key))?.control ?? null;
}

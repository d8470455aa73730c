import { commandOf, type Command } from './keys';
import { controlFor, use } from './shortcuts';

/** Without chapters these keys scroll, as everywhere. */
const FOR_CHAPTERS = new Set<Command>(['previousTurn', 'nextTurn', 'previousAct', 'nextAct']);

/** What the keys of a page do: its commands, which are told whether their key is held, and the controls that name a key. */
export function keyboard(
  commands: Record<Command, (isHeld?: boolean) => void>,
  hasChapters: () => boolean,
): (event: KeyboardEvent) => void {
  return (event) => {
    const command = commandOf(event);
    if (command && FOR_CHAPTERS.has(command) && !hasChapters()) return;
    const control = command ? null : controlFor(event);
    if (!command && !control) return;
    event.preventDefault();
    if (command) commands[command](event.repeat);
    else if (control) use(control);
  };
}

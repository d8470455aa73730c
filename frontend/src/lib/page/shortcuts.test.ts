import { beforeEach, describe, expect, it, vi } from 'vitest';
import { controlFor, shortcutsOf, use } from './shortcuts';

function press(selector: string, init: KeyboardEventInit) {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init });
  document.querySelector(selector)!.dispatchEvent(event);
  return controlFor(event);
}

describe('shortcuts of controls', () => {
  beforeEach(() => {
    document.body.innerHTML = `<main><button aria-keyshortcuts="S" aria-label="Share">x</button>
      <button aria-keyshortcuts="U" disabled>undo</button><button aria-keyshortcuts="+ =">More</button>
      <input aria-keyshortcuts="P" aria-label="Program"></main>`;
  });

  it('are what the page says', () => {
    expect(shortcutsOf().map(({ name, keys }) => [name, keys])).toEqual([
      ['Share', ['S']],
      ['More', ['+', '=']],
      ['Program', ['P']],
    ]);
  });

  it.each([
    ['s', 'Share'],
    ['S', 'Share'],
    ['=', 'More'],
  ])('%s presses %s', (key, name) => {
    const control = press('main', { key });
    expect(control?.getAttribute('aria-label') ?? control?.textContent).toBe(name);
  });

  it.each([{ key: 's', ctrlKey: true }, { key: 's', altKey: true }, { key: 'u' }, { key: 'q' }])(
    'leave %o alone',
    (init) => expect(press('main', init)).toBeNull(),
  );

  it('leave texts and dialogs their letters', () => {
    expect(press('input', { key: 's' })).toBeNull();
    document.body.append(Object.assign(document.createElement('dialog'), { open: true }));
    expect(press('main', { key: 's' })).toBeNull();
  });

  it('press buttons and go to texts', () => {
    const [share, , , program] = document.querySelectorAll<HTMLElement>('[aria-keyshortcuts]');
    const pressed = vi.fn();
    share!.addEventListener('click', pressed);
    program!.addEventListener('click', pressed);
    use(share!);
    expect(pressed).toHaveBeenCalledTimes(1);
    use(program!);
    expect(pressed).toHaveBeenCalledTimes(1);
    expect(document.activeElement).toBe(program);
  });
});

import type { Messages } from '../../i18n/en';
import { functionNames, tensorNamed } from '../../lib/lessons/check';
import type { Trace } from '../../api/types';

const within = (id: string, part: string) => `[data-tensor="${CSS.escape(id)}"] ${part}`;

/** Where on a phone a part of the page is, while another pane is shown. */
const PANES: Record<string, string> = {
  line: 'program',
  program: 'program',
  gradient: 'gradient',
  output: 'output',
};

/** The button that brings the program out, where there is no room for it. */
const DRAWER = '.bar .open[aria-expanded=false]';

function isSeen(element: Element | null | undefined): element is Element {
  return element?.checkVisibility({ visibilityProperty: true }) ?? false;
}

function first(...selectors: string[]): Element | null {
  for (const selector of selectors) {
    const found = [...document.querySelectorAll(selector)].find(isSeen);
    if (found) return found;
  }
  return null;
}

/** Something on the page by what a lesson calls it: `tensor c`, `gradient of c`, `a.grad`, `line c.backward`, `play`. */
function elementOf(part: string, trace: Trace, t: Messages): Element | null {
  const [, kind = part, name = ''] =
    /^(tensor|value of|gradient of|function|line|view) (.+)$/.exec(part) ?? [];
  const idOf = (tensor: string) => tensorNamed(trace, tensor)?.id ?? '';
  switch (kind) {
    case 'tensor':
      return first(`[data-tensor="${CSS.escape(idOf(name))}"]`);
    case 'value of':
      return first(within(idOf(name), '.plate'), `[data-tensor="${CSS.escape(idOf(name))}"]`);
    case 'gradient of':
      return first(within(idOf(name), '.gradient .beads'), within(idOf(name), '.bucket'));
    case 'function': {
      const node = trace.nodes.find((each) => functionNames(each).includes(name));
      return first(`[data-node="${CSS.escape(node?.id ?? '')}"]`);
    }
    case 'line':
      return lines().find((line) => line.textContent.includes(name)) ?? null;
    case 'program':
      return lines().at(-1) ?? first('textarea');
    case 'view':
      return first(`#tab-${CSS.escape(name)}`);
    case 'gradient':
      return first('.cells', `section[aria-label="${CSS.escape(t.gradient.title)}"]`);
    case 'output':
      return first(`section[aria-label="${CSS.escape(t.output.title)}"]`);
    case 'play':
      return first('footer .play');
    case 'step':
      return first('footer input[type=range]');
    default:
      return first(
        within(idOf(part.replace(/\.grad$/, '')), '.bucket'),
        `[data-tensor="${CSS.escape(idOf(part.replace(/\.grad$/, '')))}"]`,
      );
  }
}

function lines(): Element[] {
  return [...document.querySelectorAll('.cm-line')].filter(isSeen);
}

/** What of an element is to be ringed: of a line its text. */
function boxOf(element: Element): DOMRect {
  if (!element.matches('.cm-line')) return element.getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(element);
  const hint = element.querySelector('.gf-hint');
  if (hint) range.setEndBefore(hint);
  const box = range.getBoundingClientRect();
  const line = element.getBoundingClientRect();
  return new DOMRect(box.width > 0 ? box.x : line.x, line.y, Math.max(box.width, 40), line.height);
}

/** What of a box can be seen: what scrolls or clips it may hide it. Null where nothing is left that is worth a ring. */
function seenPart(element: Element, box: DOMRect): DOMRect | null {
  let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (getComputedStyle(parent).overflow === 'visible') continue;
    const around = parent.getBoundingClientRect();
    [left, top] = [Math.max(left, around.left), Math.max(top, around.top)];
    [right, bottom] = [Math.min(right, around.right), Math.min(bottom, around.bottom)];
  }
  const isEnough = right - left > 12 && bottom - top > 12;
  return isEnough ? new DOMRect(left, top, right - left, bottom - top) : null;
}

/** The element that a part of the page is, while it can be seen; else the tab or the button that leads to it. */
export function ringedElement(part: string, trace: Trace, t: Messages): Element | null {
  const found = elementOf(part, trace, t);
  if (isSeen(found) && ringedBox(found)) return found;
  const pane = PANES[part.split(' ')[0]!];
  return first(`nav #tab-${pane ?? 'graph'}[aria-selected=false]`, ...(pane ? [DRAWER] : []));
}

/** Brings a part of the left column into sight, once: it scrolls, and the lesson on top leaves it less room. */
export function bringIntoSight(part: string, trace: Trace, t: Messages): void {
  const found = elementOf(part, trace, t);
  const column = found?.closest('aside');
  if (found && column && isSeen(found) && !ringedBox(found)) found.scrollIntoView({ block: 'center' });
}

export function ringedBox(element: Element): DOMRect | null {
  return seenPart(element, boxOf(element));
}

/** The message of an error that a step asks for, with the line it is about; the lesson on top leaves little room. */
export function bringMessageIntoSight(): void {
  document.querySelector('#panes .gf-error')?.scrollIntoView({ block: 'nearest' });
}

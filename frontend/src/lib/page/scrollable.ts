/** Measuring forces the browser to lay the page out, so it waits until the content has come to rest, in ms. */
const REST = 120;

/** Makes an element that scrolls reachable by keyboard, as long as there is something to scroll. */
export function scrollable(element: HTMLElement): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = () => {
    const scrolls =
      element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
    if (scrolls) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(update, REST);
  };
  const sizes = new ResizeObserver(later);
  sizes.observe(element);
  const contents = new MutationObserver(later);
  contents.observe(element, { childList: true, subtree: true, characterData: true });
  return () => {
    clearTimeout(timer);
    sizes.disconnect();
    contents.disconnect();
  };
}

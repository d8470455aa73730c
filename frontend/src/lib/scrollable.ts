/** Makes an element that scrolls reachable by keyboard, as long as there is something to scroll. */
export function scrollable(element: HTMLElement): () => void {
  const update = () => {
    const scrolls =
      element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
    if (scrolls) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  };
  const sizes = new ResizeObserver(update);
  sizes.observe(element);
  const contents = new MutationObserver(update);
  contents.observe(element, { childList: true, subtree: true, characterData: true });
  return () => {
    sizes.disconnect();
    contents.disconnect();
  };
}

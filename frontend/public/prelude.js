/**
 * Runs before the first paint: the reader's theme and language, and whether the prerendered first example is shown.
 * A link shows something else, and in a small window the page is arranged in another way. Who frames the page may name a
 * theme: /embed?theme=dark#...
 */
(() => {
  const root = document.documentElement;
  function remembered(key) {
    try {
      return localStorage.getItem(`gradflow.${key}`);
    } catch {
      return null; // Storage may be forbidden.
    }
  }
  const spoken = navigator.languages.map((tag) => tag.toLowerCase().split('-')[0]);
  const language = [remembered('language'), ...spoken].find((each) => each === 'en' || each === 'zh') ?? 'en';
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  root.lang = language === 'zh' ? 'zh-Hans' : 'en';
  const themes = [new URLSearchParams(location.search).get('theme'), remembered('theme')];
  root.dataset.theme =
    themes.find((each) => each === 'light' || each === 'dark') ?? (dark ? 'dark' : 'light');
  const fits = matchMedia('(min-width: 1280px) and (min-height: 780px)').matches;
  if (fits && location.hash.length <= 1) root.dataset.prerendered = language;
  else delete root.dataset.prerendered;
})();

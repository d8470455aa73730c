import { render } from 'svelte/server';
import App from './App.svelte';
import { i18n, languages } from './i18n/index.svelte';
import { address } from './state/address.svelte';

/** Marks for a script, and names for those who hear the page: it is to be seen only, and not for long. */
const NOT_SEEN = /<!--.*?-->| aria-[a-z]+="[^"]*"/g;

/** The page with the first example in a wide window, in each language, as HTML that needs no script. */
export function prerendered(): string {
  address.showFirst();
  const pages = languages.map((language) => {
    i18n.language = language;
    const body = render(App).body.replaceAll(NOT_SEEN, '');
    return `<div lang="${language === 'zh' ? 'zh-Hans' : language}">${body}</div>`;
  });
  return `<div id="prerendered" inert aria-hidden="true">${pages.join('')}</div>`;
}

import { i18n, languages, type Language } from '../i18n/index.svelte';

export type Theme = 'light' | 'dark';

function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`gradflow.${key}`, value);
  } catch {
    return;
  }
}

/** The reader's language and theme: what was chosen before, else what the browser says. */
class Preferences {
  theme = $state<Theme>('light');

  /** Takes what `public/prelude.js` found out before the first paint. */
  start(): void {
    const { dataset, lang } = document.documentElement;
    this.theme = dataset.theme === 'dark' ? 'dark' : 'light';
    this.speak(lang.slice(0, 2));
  }

  /** Takes a language from outside; unknown ones are ignored. */
  speak(language: string | null): void {
    i18n.language = languages.find((each) => each === language) ?? i18n.language;
  }

  chooseLanguage(language: Language): void {
    i18n.language = language;
    remember('language', language);
  }

  toggleTheme(): void {
    this.theme = this.theme === 'dark' ? 'light' : 'dark';
    remember('theme', this.theme);
  }
}

export const preferences = new Preferences();

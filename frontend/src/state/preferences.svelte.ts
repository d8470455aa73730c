import { i18n, languages, preferredLanguage, type Language } from '../i18n/index.svelte';

export type Theme = 'light' | 'dark';

function remembered(key: string): string | null {
  try {
    return localStorage.getItem(`gradflow.${key}`);
  } catch {
    return null; // Storage may be forbidden; then the choice lasts as long as the page.
  }
}

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

  start(): void {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    this.theme = (remembered('theme') as Theme | null) ?? (dark ? 'dark' : 'light');
    this.speak(remembered('language') ?? preferredLanguage(navigator.languages));
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

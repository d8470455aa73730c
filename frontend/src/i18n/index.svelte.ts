import { en, type Messages } from './en';
import { zh } from './zh';

export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

const catalog: Record<Language, Messages> = { en, zh };

/** The language of the page; every text is read through `t`, so a switch redraws what is shown. */
class I18n {
  language = $state<Language>('en');
  t = $derived(catalog[this.language]);
}

export const i18n = new I18n();

import { describe, expect, it } from 'vitest';
import { en } from './en';
import { i18n } from './index.svelte';
import { zh } from './zh';

/** Every text of a catalog by its path; functions are called with letters that no text contains. */
function texts(catalog: object, path = ''): [string, string][] {
  return Object.entries(catalog).flatMap(([key, value]): [string, string][] => {
    const here = path ? `${path}.${key}` : key;
    if (typeof value === 'function') return [[here, String(value('α', 'β', 'γ'))]];
    return typeof value === 'string' ? [[here, value]] : texts(value, here);
  });
}

/** What is the same in both languages: names of keys, code, formats. */
const SAME =
  /^(name|editor\.(dialect|gradPass)|key\.|error\.key|gradient\.(title|pass|value|comma)|jacobian\.(weight|row)|transport\.times|events\.comma|update\.times|inspector\.(none|nan|inf))|^graph\.none|^away\.formats\.\w+\.0/;

describe('the two languages', () => {
  const chinese = new Map(texts(zh));

  it.each(texts(en))('%s is translated, with the same names and code', (path, english) => {
    const translated = chinese.get(path)!;
    if (!SAME.test(path)) expect(translated).toMatch(/[㐀-鿿]/);
    for (const name of ['α', 'β', 'γ']) expect(translated.includes(name)).toBe(english.includes(name));
    expect(translated.match(/\*\*/g)?.length).toBe(english.match(/\*\*/g)?.length);
  });

  it('follow the reader', () => {
    i18n.language = 'zh';
    expect(i18n.t.transport.play).toBe('播放');
    i18n.language = 'en';
    expect(i18n.t.transport.play).toBe('Play');
  });
});

// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { BLANK_STATE, packSource, readHash, unpackSource, writeHash, type PageState } from './url';

const full: PageState = {
  example: null,
  code: 'x = torch.ones(2)\nprint("梯度 𝒙 & # % +")\n',
  gradients: { '0': { shape: [2, 3], data: [1, 0, -0.5, 1e-7, 2, 3] }, '1': { shape: [], data: [4] } },
  step: 8.25,
  view: 'jacobian',
  language: 'zh',
  lesson: 'scalar-backward',
};

describe('the URL', () => {
  it('holds a state and gives it back', async () => {
    expect(await readHash('#' + (await writeHash(full)))).toEqual({ state: full, whole: true });
  });

  it('is empty for the state of an untouched page', async () => {
    expect(await writeHash(BLANK_STATE)).toBe('');
    expect(await readHash('')).toEqual({ state: BLANK_STATE, whole: true });
  });

  it('is made of characters that survive being pasted', async () => {
    expect(await writeHash(full)).toMatch(/^[\w=&:;,.~-]+$/);
  });

  it.each([
    'code=!!!',
    'code=AAAA',
    'gradient=0:2x2:1,2,3',
    'gradient=0:2:1,x',
    'gradient=__proto__:1:1',
    'gradient=0:1e9:1',
    'step=NaN',
    'step=-1',
    'step=',
    'view=<script>',
    'lang=../../etc',
    'example=a%20b',
    'code=%E0%A4%A',
  ])('drops what it cannot read: %s', async (hash) => {
    expect(await readHash(`#${hash}`)).toEqual({ state: BLANK_STATE, whole: false });
  });

  it('keeps the rest of a link of which one part is broken', async () => {
    const { state, whole } = await readHash('#view=jacobian&step=zero&example=mean');
    expect([state.view, state.step, state.example, whole]).toEqual(['jacobian', null, 'mean', false]);
  });

  it('refuses a small link that unpacks to a large program', async () => {
    const bomb = await packSource('a'.repeat(65536)).then((text) => unpackSource(text));
    expect(bomb).toHaveLength(65536);
    const stream = new Blob(['a'.repeat(1 << 22)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const text = Buffer.from(bytes).toString('base64url');
    await expect(unpackSource(text)).rejects.toThrow();
  });
});

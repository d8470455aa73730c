import { expect, it } from 'vitest';
import { violations } from './check_rooms.js';

/** A tree of the given files; those that are only imported are empty. */
function found(files) {
  return violations(new Map(Object.entries(files)));
}

const importing = (name) => `import { x } from '${name}';\n`;
const script = (name) => `<script lang="ts">\n  import type { X } from '${name}';\n</script>\n`;

it('finds nothing where each file looks to rooms above its own', () => {
  expect(
    found({
      'api/types.ts': '',
      'lib/trace/values.ts': importing('../../api/types'),
      'lib/trace/values.test.ts': importing('../../test/sketch'),
      'test/sketch.ts': '',
      'components/graph/Card.svelte': script('../../lib/trace/values'),
      'main.ts': importing('./components/graph/Card.svelte'),
    }),
  ).toEqual([]);
});

const DOWN = 'that room stands further down';
const ASIDE = 'the rooms stand on one line';

it.each([
  ['lib/trace/a.ts', importing('../graph/b'), 'lib/graph/b.ts', DOWN],
  ['lib/trace/a.test.ts', importing('../graph/b'), 'lib/graph/b.ts', DOWN],
  ['lib/page/a.ts', importing('../../api/client'), 'api/client.ts', DOWN],
  ['lib/trace/a.ts', "export * from '../graph/b';", 'lib/graph/b.ts', DOWN],
  ['lib/trace/a.ts', "import type { B } from '../graph/b';", 'lib/graph/b.ts', DOWN],
  ['lib/trace/a.ts', "await import('../graph/b');", 'lib/graph/b.ts', DOWN],
  ['lib/trace/a.ts', "new Worker(new URL('../graph/b.ts', import.meta.url));", 'lib/graph/b.ts', DOWN],
  ['components/common/A.svelte', script('../graph/b'), 'components/graph/b.ts', DOWN],
  ['components/common/A.svelte', "{#await import('../graph/b')}{/await}", 'components/graph/b.ts', DOWN],
  ['components/graph/A.svelte', script('../editor/b'), 'components/editor/b.ts', ASIDE],
  ['lib/trace/a.ts', importing('../../test/b'), 'test/b.ts', 'test/ is set apart'],
])('does not let %s say %s', (from, text, to, reason) => {
  expect(found({ [from]: text, [to]: '' })).toEqual([`${from} imports ${to}: ${reason}`]);
});

it('finds circles, within a room too', () => {
  const circle = {
    'lib/graph/a.ts': importing('./b'),
    'lib/graph/b.ts': importing('./c'),
    'lib/graph/c.ts': "import type { A } from './a';",
  };
  expect(found(circle)).toEqual([
    'a circle: lib/graph/a.ts -> lib/graph/b.ts -> lib/graph/c.ts -> lib/graph/a.ts',
  ]);
});

it('knows every room and every import', () => {
  expect(found({ 'new/a.ts': '' })).toEqual(['new/a.ts is in no room']);
  expect(found({ 'main.ts': importing('./absent') })).toEqual([
    'main.ts imports ./absent, which is not in src',
  ]);
});

it('counts files, up to 20 in a folder', () => {
  const files = (count) => Array.from({ length: count }, (_, k) => [`lib/graph/${k}.ts`, '']);
  expect(violations(new Map(files(20)))).toEqual([]);
  expect(violations(new Map(files(21)))).toEqual(['lib/graph holds 21 files, more than 20']);
});

it('counts lines, up to 400 in a file that someone wrote', () => {
  expect(found({ 'main.ts': 'x\n'.repeat(400), 'api/schema.d.ts': 'x\n'.repeat(401) })).toEqual([]);
  expect(found({ 'main.ts': 'x\n'.repeat(401) })).toEqual(['main.ts has 401 lines, more than 400']);
});

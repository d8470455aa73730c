/**
 * The rooms of `src` and who may look into whom. A room is a folder, or a file that is set apart; the deepest that
 * matches counts. Each line imports only what stands on lines above it: rooms on one line do not know each other.
 * Test files keep the order too; they alone may look into `fixtures` and `test`.
 */
export const ROOMS = [
  {
    'api/': 'what the server sends: types made from its OpenAPI document',
    'i18n/': 'every text, in English and Chinese',
    'styles/': 'colours, sizes and fonts',
    'fixtures/': 'the first example as the engine ran it and as Graphviz laid it out',
  },
  {
    'lib/': 'small helpers that know nothing of traces',
    'test/': 'traces for unit tests',
  },
  {
    'lib/trace/':
      'reading a trace: records by id, names, numbers, places in the source, what is worth showing',
  },
  { 'lib/graph/': 'the graph that is drawn: cards, pills, links, and groups that fold' },
  {
    'lib/rules/': 'rules as people write them: letters for tensors, a layer as one function, LaTeX',
    'lib/update/': 'what an optimizer, a zeroing or a write has done to the leaves, and a hook to a gradient',
  },
  {
    'lib/animation/':
      'time: the timeline, what each element looks like at a moment, and the sentence about it',
  },
  { 'lib/chapters/': 'the run in chapters: turns of training loops, their acts and steps, their loss' },
  { 'lib/ruler/': 'the run along a line: where its parts, their names and the loss stand' },
  {
    'lib/lens/': 'planes through an array, and how its elements are spread',
    'lib/picture/': 'space: sizes, layout, curves, camera',
    'lib/gradient/': 'the gradient that a reader gives, and the arithmetic that the inspector explains',
  },
  {
    'lib/take/': 'the view at hand as marks, and these as SVG, PNG, GIF and WebM',
    'lib/account/': 'the whole run in words and numbers',
  },
  {
    'lib/touch/':
      'one element: what it depends on, what depends on it, with coefficients and the sum written out',
  },
  { 'lib/predict/': 'gradients that a reader works out: questions, what wrong answers mean, what is hidden' },
  { 'lib/lessons/': 'whether a step of a lesson is done, and how far a reader has come' },
  { 'lib/page/': 'the browser: URL, keys, first paint, scrolling' },
  { 'api/client.ts': 'asking the server; nothing in lib does' },
  { 'state/': 'what the page remembers; all else is derived from it' },
  { 'components/common/': 'what several rooms draw with: number grids, icons, formulas, menus' },
  {
    'components/touch/': 'an element that the reader has picked',
    'components/predict/': 'a gradient that the reader works out',
  },
  {
    'components/graph/':
      'the drawn graph; of the state it knows what lights up and what is to be filled in, no more',
    'components/inspector/': 'a function or a tensor in detail',
    'components/jacobian/': 'the two views beside the graph: the Jacobian, and the same run from a scalar',
    'components/transport/': 'the controls of time, the ruler, the sentence',
    'components/lens/': 'all elements of one tensor: a table that scrolls, a map, histograms',
    'components/editor/': 'the program: CodeMirror, hints, errors',
    'components/gradient/': 'the grid in which a reader gives a gradient',
    'components/lessons/': 'a lesson with its steps, the list of all, the first visit',
  },
  {
    'components/away/':
      'taking the run away: files, links, the text account; what lists all that can be done',
  },
  { 'components/player/': 'a run that plays without its program, for a frame in another page' },
  { 'components/shell/': 'the page around all that: header, help, notices, output' },
  { '': 'the page itself' },
];

/** Files that only some files may import, whatever their rooms. */
export const SET_APART = {
  'test/': /\.test\.ts$/,
  'fixtures/': /\.test\.ts$|^state\/address\.svelte\.ts$|^lib\/picture\/layout\/recorded_layouts\.ts$/,
};

export const MOST_FILES = 20;
export const MOST_LINES = 400;
/** Not written by hand. */
export const GENERATED = /^api\/schema\.d\.ts$|^fixtures\/.*\.json$/;

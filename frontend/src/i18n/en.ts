import { askingEn } from './asking';
import { awayEn } from './away';
import { batchEn } from './batch';
import { keysEn } from './keys';
import { shownEn } from './shown';
import { chainEn } from './chain';
import { eventsEn } from './events';
import { graphEn } from './graph';
import { givingEn } from './giving';
import { jacobianEn } from './jacobian';
import { lensEn } from './lens';
import { lessonsEn } from './lessons';
import { updateEn } from './update';

/** English texts. `backticks` set code, **stars** the lead word; parameters are what the program calls things. */
export const en = {
  name: 'English',
  tagline: 'See what `backward(gradient)` does',

  header: {
    examples: 'Examples',
    own: 'Your program',
    share: 'Share',
    shared: 'Link copied',
    shareFailed: 'The address bar holds the link',
    export: 'Export',
    language: 'Language',
    theme: 'Theme',
    themeLight: 'Switch to the light theme',
    themeDark: 'Switch to the dark theme',
    help: 'Keyboard and help',
    menu: 'Menu',
    program: 'Program',
  },
  exportAs: {
    svg: 'SVG, a drawing that scales',
    png: 'PNG, a picture',
    pdf: 'PDF, for print',
    dot: 'DOT, the source for Graphviz',
    failed: 'The picture could not be made.',
  },
  panes: {
    source: 'Source',
    program: 'Program',
    graph: 'Graph',
    gradient: 'Gradient',
    jacobian: 'Jacobian',
    scalar: 'Scalar',
    output: 'Output',
  },
  views: { label: 'View', graph: 'Graph', jacobian: 'Jacobian', scalar: 'As a scalar' },

  editor: {
    title: 'Program',
    dialect: 'PyTorch',
    leaf: 'leaf',
    leaves: (n: number) => `${n} leaves,`,
    numbers: (n: string) => `${n} numbers`,
    noGradient: 'no gradient',
    detached: 'detached',
    pass: (numbers: string) => `backward ${numbers}`,
    gradPass: (numbers: string) => `autograd.grad ${numbers}`,
    notRun: 'not run',
    running: 'running',
    empty: 'Type or paste a PyTorch program',
    escape:
      'Tab indents; press Escape, then Tab, to leave the editor. Alt H explains the word at the cursor.',
  },

  gradient: {
    title: 'gradient',
    of: (name: string) => `gradient of ${name}`,
    cell: (name: string, index: string) => `gradient of ${name} ${index}`,
    subject: (name: string, shape: string) => `of \`${name}\`, ${shape}`,
    argument: (line: number) => `the argument in line ${line}`,
    implicit: 'implicit, 1 for a scalar',
    missing: (line: number) => `missing in line ${line}`,
    requested: 'given here',
    choose: 'Backward pass',
    pass: (n: number) => `#${n}`,
    presets: 'Presets',
    ones: 'ones',
    zeros: 'zeros',
    oneHot: 'one-hot',
    random: 'random',
    itself: (name: string) => `\`${name}\` itself`,
    undo: 'undo',
    scalar: 'scalar',
    comma: ', ',
    note: (name: string) =>
      `Each cell weighs one element of \`${name}\`. Type, or drag a cell up and down: every gradient in the picture follows.`,
    fill: (name: string) =>
      `\`${name}\` has more than one element, so \`backward\` needs a weight for each. Fill in a number: it is written into the program as the argument, and the pass plays.`,
    invalid: 'Not a number; the last one still counts.',
    large: (count: number) => `${count} cells; shown is a corner. The presets set them all.`,
    none: 'The program runs no backward pass.',
    own: (name: string) =>
      `The program calls no \`backward\`. The gradient given here is the one for \`${name}\`.`,
    value: (value: string) => `= ${value}`,
  },

  output: {
    title: 'Output',
    whole: 'of the whole run',
    empty: 'nothing printed',
    stopped: (line: number) => `stopped at line ${line}`,
    stoppedEmpty: (line: number) => `the program stopped at line ${line} and printed nothing`,
    warnings: (n: number) => (n === 1 ? '1 warning' : `${n} warnings`),
  },

  error: {
    fix: 'Fix',
    key: 'Alt Enter',
    line: (n: number) => `line ${n}`,
    calledFrom: 'called from',
    cause: 'The cause is at',
    choose: 'The program can mean one of these:',
  },

  net: {
    offline: 'No answer from the server. Your program is kept; it runs again when the server answers.',
    busy: (seconds: number) => `The server is busy; trying again in ${seconds} s. Nothing is lost.`,
    tooLarge: (limit: string) =>
      limit
        ? `The program is longer than the ${limit} that the server takes.`
        : 'The program is too large for the server.',
    refused: (detail: string) => `The server did not understand the request: ${detail}`,
    broken: 'The server failed on this program. Nothing is lost.',
    retry: 'Try again',
    badLink: 'Part of the link could not be read; the rest was used.',
    dismiss: 'Dismiss',
  },

  transport: {
    label: 'Playback',
    first: 'First step',
    back: 'Step back',
    play: 'Play',
    pause: 'Pause',
    forward: 'Step forward',
    last: 'Last step',
    slider: 'Step',
    speed: 'Speed',
    times: (n: number) => `${n}×`,
    count: (n: number, total: number) => `step **${n}** of ${total}`,
    countPlain: (n: number, total: number) => `step ${n} of ${total}`,
    forwardGroup: 'forward',
    passGroup: (n: number) => `backward #${n}`,
    gradGroup: (n: number) => `grad #${n}`,
    updateGroup: 'update',
    stepOf: (n: number, name: string) => `step ${n}, \`${name}\``,
    failed: (line: number) => `failed in line ${line}`,
    range: (from: number, to: number) => `${from} to ${to}`,
    arrive: 'arrive',
    rule: 'rule',
    send: (name: string) => `share to \`${name}\``,
    sendRest: 'the other shares',
    add: (name: string) => `add \`${name}\``,
    result: (name: string) => `return \`${name}\``,
    addRest: 'add the others',
    acts: { zero: 'zero', forward: 'forward', backward: 'backward', step: 'step', other: 'other' },
    zeroBeat: 'empty `.grad`',
    stepBeat: 'flow into the values',
    actStep: (act: string, n: number, total: number) => `${act}, step ${n} of ${total}`,
    inTurn: (n: number, what: string) => `turn ${n}, ${what}`,
    turn: (n: number) => `turn ${n}`,
    turnOf: (n: number, total: number) => `**turn ${n}** of ${total}`,
    turnCount: (n: number, total: number) => `turn **${n}** of ${total}`,
    withTurn: (what: string, n: number, total: number) => `${what} (turn ${n} of ${total})`,
    turns: (from: number, to: number) => (from === to ? `turn ${from}` : `turns ${from} to ${to}`),
    turnsRan: (from: number, to: number) =>
      from === to
        ? `**turn ${from}** ran, shown as one row`
        : `**turns ${from} to ${to}** ran, shown as one row each`,
    chapters: { setup: 'setup', between: 'between', after: 'after' },
    curve: (name: string) => `${name} by turn`,
    lossAt: (name: string, n: number, value: string) => `${name} at turn ${n}, ${value}`,
    printed: 'printed',
  },

  narration: {
    nothing: 'Nothing has been computed yet.',
    running: 'The program is running.',
    leaf: (name: string) => `**Forward.** \`${name}\` is made from data.`,
    forward: (name: string, fn: string) => `**Forward.** \`${fn}\` computes \`${name}\`.`,
    arrive: (name: string, fn: string) => `**Arrive.** The gradient of \`${name}\` reaches \`${fn}\`.`,
    arriveMany: (name: string, fn: string, n: number) =>
      `**Arrive.** ${n} shares of \`${name}\` are added; the sum reaches \`${fn}\`.`,
    seed: (name: string, fn: string) =>
      `**Arrive.** The \`gradient\` given for \`${name}\` reaches \`${fn}\`.`,
    rule: (fn: string, gradFn: string) =>
      `**Rule.** \`${gradFn}\` multiplies it by the Jacobian of \`${fn}\`.`,
    sendToLeaf: (name: string, fn: string) =>
      `**Share.** The part that belongs to \`${name}\` leaves \`${fn}\`; next it is added into \`${name}.grad\`.`,
    sendOn: (name: string, fn: string) => `**Share.** The part that belongs to \`${name}\` leaves \`${fn}\`.`,
    sendToWait: (name: string, fn: string) =>
      `**Share.** A part for \`${name}\` leaves \`${fn}\`; it waits there for the others.`,
    sendRest: (fn: string) => `**Share.** The other shares leave \`${fn}\` together.`,
    turns: (name: string, layer: string) => `**Forward.** \`t\` turns \`${name}\` for \`${layer}\`.`,
    arriveTurned: (name: string, fn: string, layer: string) =>
      `**Arrive.** The part that belongs to \`${name}\` reaches the \`${fn}\` that turned it for \`${layer}\`.`,
    turnBack: (fn: string, name: string) =>
      `**Rule.** \`${fn}\` turns it back into the shape of \`${name}\`.`,
    sendToTurn: (name: string, fn: string) =>
      `**Share.** The part that belongs to \`${name}\` leaves \`${fn}\`, still transposed.`,
    sendTurned: (name: string, fn: string, layer: string, last: boolean) =>
      `**Share.** The part that belongs to \`${name}\`, turned back by \`${fn}\`, leaves \`${layer}\`` +
      (last ? `; next it is added into \`${name}.grad\`.` : '; it waits there for the others.'),
    unbroadcast: (from: string, to: string) => `Broadcasting is undone: ${from} is summed to ${to}.`,
    hooked: (name: string) => `A hook of \`${name}\` changes it on the way.`,
    addLeaf: (name: string, n: number) =>
      n > 1
        ? `**Add.** The ${n} shares of \`${name}\` are added into \`${name}.grad\`.`
        : `**Add.** The share is added into \`${name}.grad\`.`,
    addUp: (name: string, n: number) =>
      n > 1
        ? `**Add.** ${n} shares of \`${name}\` are added up.`
        : `**Add.** The shares of \`${name}\` are added up.`,
    addRest: '**Add.** The shares are added where they belong.',
    result: (name: string, result: string | null) =>
      `**Result.** \`autograd.grad\` returns the gradient of \`${name}\`${result ? ` as \`${result}\`` : ''}; no \`.grad\` is touched.`,
    end: (n: number) =>
      n === 1
        ? '**Done.** The backward pass is complete.'
        : `**Done.** All ${n} backward passes are complete.`,
    forwardDone: '**Forward is done.** The program runs no backward pass.',
    passesLeftOut: '**Forward is done.** The run is too long for a picture of its backward passes.',
    unstarted: (name: string, n: number) =>
      `**Forward is done, backward has no start.** How much does each of the ${n} elements of \`${name}\` weigh?`,
    stopped: (line: number) =>
      `**Stopped.** The program failed in line ${line}; this is the graph up to there.`,
  },

  inspector: {
    label: 'Inspector',
    close: 'Close',
    line: (n: number) => `line ${n}`,
    rule: 'Local rule',
    numbers: 'With the numbers',
    into: (name: string) => `Into \`${name}\``,
    onItsWay: 'on its way',
    added: 'added',
    arrived: 'arrived',
    next: 'next',
    later: 'later',
    before: 'before',
    beforeNone: 'before, None',
    gradInput: 'share',
    after: 'after',
    saved: 'Saved in the forward pass',
    freed: 'Freed after this step',
    nothing: 'nothing',
    all: 'all',
    both: 'both',
    kept: 'none, `retain_graph=True`',
    notBegun: 'At this step no gradient has arrived here yet: the numbers come with the backward pass.',
    notReached: 'This function has not been run backward yet.',
    never: 'No backward pass runs this function.',
    constant:
      'No gradient flows through this function: nothing that requires grad went in, or it ran under `no_grad`, or it is not differentiable.',
    unbroadcast: 'Broadcasting undone',
    unbroadcastNote: (from: string, to: string) => `summed from ${from} to ${to}`,
    previousElement: 'Previous element',
    nextElement: 'Next element',
    region: 'Written elements',
    regionCount: (n: number, total: number) => `${n} of ${total}`,
    shape: 'Shape',
    elements: (n: number) => (n === 1 ? '1 element' : `${n} elements`),
    dtype: 'Type',
    version: 'Version',
    viewOf: 'View of',
    why: 'Why no gradient',
    whyGiven: 'Why `gradient` is needed',
    whyGivenNote: (n: number) =>
      `It stands on the right of every rule. Its ${n} weights have to come from you.`,
    whyConstant: 'It was made from data without `requires_grad=True`, so nothing is recorded for it.',
    whyInteger: 'Only floating point tensors can require gradients.',
    whyComputed:
      'The graph ends before it: nothing that went into it requires grad, it was computed under `no_grad`, or it was cut off, as by `detach`.',
    whyDetached: 'It was detached: it shares the values, and no gradient flows back.',
    whyNotLeaf:
      'It is not a leaf, so `.grad` stays None; the gradient passes through it. `retain_grad()` would keep it.',
    whyNotReached: 'No backward pass has reached it.',
    whyNotYet: 'At this step no backward pass has reached it yet.',
    whyNotMade: 'At this step it has not been made yet.',
    notMade: 'not yet',
    gradient: 'Gradient',
    value: 'Value',
    summary: 'Too large to be shown whole',
    min: 'min',
    max: 'max',
    mean: 'mean',
    norm: 'norm',
    letters: 'Letters',
    module: (title: string) => `module ${title}`,
    row: (n: number) => `row ${n}`,
    column: (n: number) => `column ${n}`,
    rowColumn: (row: number, column: number) => `row ${row} · column ${column}`,
    smallerTerms: (n: number) => (n === 1 ? '1 smaller term' : `${n} smaller terms`),
    shares: (n: number) => `${n} shares`,
    hook: (name: string) => `A hook of \`${name}\` changes the gradient`,
    nan: 'nan',
    inf: 'inf',
    pick: 'Pick an element',
    empty: 'Choose a tensor or a function in the graph, or a line of the program.',
  },

  graph: graphEn,
  lens: lensEn,
  predict: askingEn,
  lessons: lessonsEn,

  events: eventsEn,
  update: updateEn,
  batch: batchEn,
  shown: shownEn,
  chain: chainEn,

  giving: givingEn,
  jacobian: jacobianEn,
  scalar: {
    title: 'The same gradients from a scalar',
    lead: (y: string) =>
      `**A gradient is a set of weights.** Weighing \`${y}\` first and adding it up gives a scalar, and a scalar needs no argument.`,
    vector: 'vector-Jacobian product',
    scalar: 'gradient of a scalar',
    same: 'The same numbers, because differentiation is linear.',
    differ: 'These differ.',
    run: 'Open as a program',
    noPass: 'There is no backward pass to rewrite.',
    waiting: 'The second program is running.',
    failed: 'The second program could not be run.',
    card: 'The scalar',
    cardOf: (y: string) => `\`m\` is the sum of the elements of \`${y}\`, each times its weight:`,
    other: 'The other reading',
    later: (y: string) =>
      `Nobody says that the pass begins at \`${y}\`. If a later loss is computed from it, \`g\` is what its pass brings: the upstream gradient, ∂loss/∂\`${y}\`. Write that loss, and \`g\` comes by itself:`,
    write: 'Write a later loss',
    replaces: (given: string, text: string) =>
      `The grid’s numbers ${given} stand in place of the program’s \`${text}\`; what that is computed from has no effect now.`,
    isScalar:
      '`backward()` begins at a scalar here: there are no weights to give. This view is for a call of the form `y.backward(g)`.',
    wrongForm: 'This view is for a call of the form `y.backward(g)`.',
  },

  search: {
    label: 'Search',
    hint: 'name, operation or line',
    found: 'Found',
    nothing: 'Nothing of this name.',
  },
  help: {
    title: 'Keyboard and help',
    close: 'Close',
    about:
      'Gradflow runs a PyTorch program, draws its graph and plays `backward(gradient)` step by step. Everything stays on this server.',
    keys: 'Keys',
    play: 'Play, pause',
    step: 'One beat back, on',
    ends: 'To the beginning, to the end',
    turns: 'Same beat, turn before, turn after',
    acts: 'Act before, act after',
    fix: 'Apply the fix of an error',
    cells: 'Move between the cells of the gradient',
    drag: 'Change a cell of the gradient',
    dragKeys: 'drag up, down',
    complete: 'Complete a name in the program',
    leave: 'Leave the editor',
    search: 'Find a tensor, a function, a line',
    lens: 'Look closer at the tensor at hand',
    pick: 'Pick an element of the tensor at hand',
    elements: 'Next element, the other direction',
    predict: 'Predict a gradient',
    isolate: 'Show only what leads to the tensor at hand, and what it leads to',
    help: 'This page',
    shapes: 'Four shapes',
    card: 'A card is a tensor. Its value is a plate of touching cells, its gradient a set of beads.',
    pill: 'A pill is a function.',
    bucket: 'A double border is the `.grad` of a leaf, the only place that keeps.',
    chip: 'A chip on an edge is a share in flight.',
  },
  key: keysEn,

  away: awayEn,
  error_page: 'Something on this page failed. Reload it; the address holds your program.',
};

export type Messages = typeof en;

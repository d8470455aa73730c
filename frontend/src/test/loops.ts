import type { Trace } from '../api/types';
import { Sketch, type Sketched } from './sketch';

/** Begins a loop; its id. */
export function loop(sketch: Sketch, title = 'for epoch in range(n)'): string {
  return sketch.place('loop', title, sketch.here);
}

/** Runs the body in each turn of a loop; `numbers` count from 0. */
export function inTurns(
  sketch: Sketch,
  loopId: string,
  numbers: readonly number[],
  body: (turn: number) => void,
): void {
  const outside = sketch.here;
  for (const turn of numbers) {
    const variable = `epoch = ${turn}`;
    sketch.here = sketch.place('turn', variable, loopId, { turn, variable });
    body(turn);
  }
  sketch.here = outside;
}

/** `loss = (w * x).sum()`, backward. */
export function lossOf(sketch: Sketch, w: Sketched, x: Sketched): void {
  const product = sketch.apply('mul', [x, w]);
  sketch.backward(sketch.apply('sum', [product], { name: 'loss', shape: [] }));
}

/** A training loop: data and a leaf, then turns of zero (but in the first), forward, backward, step and print. */
export function trainingLoop(turns: number, own: Partial<Trace> = {}): Trace {
  const sketch = new Sketch({ told: true });
  const x = sketch.constant({ name: 'x', shape: [2] });
  const w = sketch.leaf('w', [2]);
  inTurns(sketch, loop(sketch), [...Array(turns).keys()], (turn) => {
    if (turn > 0) sketch.zeroGrad();
    lossOf(sketch, w, x);
    sketch.step();
    sketch.print(`${turn}\n`);
  });
  return sketch.trace(own);
}

/** A long training loop of which only some turns were written whole; of those after them, the zeroing remains. */
export function cutLoop(turns: number, kept: readonly number[]): Trace {
  const sketch = new Sketch({ told: true });
  const x = sketch.constant({ name: 'x', shape: [2] });
  const w = sketch.leaf('w', [2]);
  const written = [...new Set(kept.flatMap((turn) => [turn, turn + 1]))].filter((turn) => turn < turns);
  inTurns(sketch, loop(sketch), written, (turn) => {
    sketch.zeroGrad();
    if (!kept.includes(turn)) return;
    lossOf(sketch, w, x);
    sketch.passes.at(-1)!.id = `p${turn}`;
    (sketch.events.at(-1) as { pass: string }).pass = `p${turn}`;
    sketch.step();
  });
  const missing = [...Array(turns).keys()].filter((turn) => !kept.includes(turn));
  return sketch.trace({
    budget: { bytes: 1, summarised: 0, turns_left_out: missing.length },
    left_out: missing.map((turn) => ({ pass_id: `p${turn}`, loss: 1 / (turn + 1), norms: {} })),
  });
}

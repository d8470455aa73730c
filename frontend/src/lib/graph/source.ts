import type { Trace } from '../../api/types';
import { Captions, type ModuleCaption } from './captions';
import { contextOf, type GraphContext } from './context';
import { ownersOf } from './folding';
import { scopesOf, type ScopeLevel } from './scopes';
import { Slices } from './slice';
import { Turns } from './turns';

/** What is worked out once for a run, whatever part of it is on screen. */
export class GraphSource {
  readonly context: GraphContext;
  readonly scopes: Map<string, ScopeLevel[]>;
  readonly turns: Turns;
  readonly slices: Slices;
  /** The paths of modules that have leaves of their own. */
  readonly owners: ReadonlySet<string>;
  readonly captions: Captions;

  constructor(
    readonly trace: Trace,
    /** The place of each segment of the timeline. */
    course: readonly (string | null)[],
  ) {
    this.context = contextOf(trace);
    this.scopes = scopesOf(trace);
    this.turns = new Turns(trace, course);
    this.slices = new Slices(this.context, this.turns);
    this.owners = ownersOf(trace.tensors);
    this.captions = new Captions(trace.tensors);
  }

  private readonly modules = new Map<string, string>();

  /** What the module with a path is called; null where no function ran in it. */
  moduleAt(path: string): ModuleCaption | null {
    if (this.modules.size === 0)
      for (const { kind, title, caption } of [...this.scopes.values()].flat())
        if (kind === 'module') this.modules.set(title, caption);
    const caption = this.modules.get(path);
    return caption === undefined ? null : this.captions.of({ title: path, caption });
  }
}

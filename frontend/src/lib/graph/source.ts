import type { Trace } from '../../api/types';
import { Captions, type ModuleCaption } from './captions';
import { contextOf, type GraphContext } from './context';
import { Episodes, type Told } from './parts/episodes';
import { MOST_ELEMENTS, ownersOf } from './folding';
import { scopesOf, type ScopeLevel } from './scopes';
import { Slices } from './parts/slice';
import { Turns, type TurnChoice } from './turns';

/** The turns that are on screen, and the episode of the run, where it has several that are not all shown. */
export interface Choice extends TurnChoice {
  episode: string | null;
}

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
    /** The segments themselves, where what is on screen is to follow the episodes of the run. */
    segments: readonly Told[] = [],
  ) {
    this.context = contextOf(trace);
    this.scopes = scopesOf(trace);
    this.turns = new Turns(trace, course);
    this.slices = new Slices(this.context, this.turns);
    this.owners = ownersOf(trace.tensors);
    this.captions = new Captions(trace.tensors);
    const episodes = new Episodes(this.context, this.turns, segments);
    const { nodes, tensors } = this.slices.at(this.turns.at(0));
    const isLong = nodes.length + tensors.length > MOST_ELEMENTS;
    this.episodes = episodes.count > 1 && (isLong || episodes.hasTurns) ? episodes : null;
  }

  /** Null where all of the run is on screen together. */
  private readonly episodes: Episodes | null;
  private readonly choices = new Map<string, Choice>();

  /**
   * What is on screen when a segment is played: the same object for the same. A tensor or function that is looked at is
   * shown with its own episode.
   */
  at(segment: number, looked: string | null = null): Choice {
    const turns = this.turns.at(segment);
    const episode = this.episodes?.at(segment, looked) ?? null;
    const key = `${episode ?? ''} ${turns.key}`;
    const known = this.choices.get(key) ?? { ...turns, key, episode };
    this.choices.set(key, known);
    return known;
  }

  /** As `Turns.chainAt` says, where the chain is on screen. */
  chainAt(segment: number): ReturnType<Turns['chainAt']> {
    const found = this.turns.chainAt(segment);
    const episode = this.episodes?.at(segment) ?? null;
    if (!found || !this.episodes || episode === null) return found;
    return this.episodes.holds(episode, found.chain.turns) ? found : null;
  }

  /** The part of the graph that is on screen. */
  sliceAt(choice: Choice | TurnChoice): GraphContext {
    const all = this.slices.at(choice);
    const episode = 'episode' in choice ? choice.episode : null;
    return episode === null || !this.episodes ? all : this.episodes.narrow(all, episode);
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

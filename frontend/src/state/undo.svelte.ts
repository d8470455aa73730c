const MOST = 100;

/** States that can be gone back to, the last first. */
export class Undo<State> {
  private past = $state.raw<State[]>([]);

  get isEmpty(): boolean {
    return this.past.length === 0;
  }

  remember(state: State): void {
    this.past = [...this.past, state].slice(-MOST);
  }

  back(): State | null {
    const before = this.past.at(-1) ?? null;
    this.past = this.past.slice(0, -1);
    return before;
  }

  clear(): void {
    this.past = [];
  }
}

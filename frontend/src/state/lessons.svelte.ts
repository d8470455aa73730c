/** Which lesson is open. What a lesson is and how it goes on is loaded with the first one. */
class Lessons {
  /** The id of the lesson; null outside of lessons. */
  open = $state<string | null>(null);
  /** The open lesson has put its program on screen; until then the one before it is still there. */
  begun = $state(false);
  /** The list of lessons is shown. */
  listed = $state(false);
  /** The program on screen is the reader's own work on this lesson: it stays when the lesson opens. */
  keepsProgram = false;

  start(id: string): void {
    this.keepsProgram = false;
    this.listed = false;
    if (id === this.open) return;
    this.begun = false;
    this.open = id;
  }

  /** Opens a lesson beside a program that a link brought. */
  resume(id: string): void {
    this.keepsProgram = true;
    this.begun = true;
    this.open = id;
  }

  leave(): void {
    this.open = null;
  }
}

export const lessons = new Lessons();

/** Parts of the page that come when they are first asked for, and cannot come while the server does not answer. */
class Parts {
  /** One did not come. */
  missing = $state(false);

  /** Loads a part; null, and said so, where it does not come. */
  async ask<Part>(load: () => Promise<Part>, onfail = (): void => {}): Promise<Part | null> {
    try {
      const part = await load();
      this.missing = false;
      return part;
    } catch (cause) {
      console.warn(cause);
      this.missing = true;
      onfail();
      return null;
    }
  }
}

export const parts = new Parts();

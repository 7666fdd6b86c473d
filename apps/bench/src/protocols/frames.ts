/** Frames of a client, for which is waited. */
export class Frames {
  readonly #waits = new Set<{ readonly part: string; readonly found: () => void }>();

  take(frame: string): void {
    for (const wait of this.#waits)
      if (frame.includes(wait.part)) {
        this.#waits.delete(wait);
        wait.found();
      }
  }

  /** Resolves when a frame comes that has a part. */
  until(part: string): Promise<void> {
    return new Promise((found) => void this.#waits.add({ part, found }));
  }
}

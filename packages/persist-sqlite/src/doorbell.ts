/** Wakes one who waits; a ring while nobody waits is kept. */
export class Doorbell {
  #rang = false;
  #wake: (() => void) | undefined;

  readonly ring = (): void => {
    this.#rang = true;
    this.#wake?.();
  };

  /** Resolves when it rings, or has rung since it was waited for the last time. */
  async rung(): Promise<void> {
    if (!this.#rang) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#rang = false;
    this.#wake = undefined;
  }
}

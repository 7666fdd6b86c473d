/** Wakes one waiting loop. A ring that comes while the loop works is kept, so that a change between looking and waiting is not missed. */
export class Doorbell {
  #hasRung = false;
  #wake: (() => void) | undefined;

  /** Rings. Can be passed as a callback. */
  readonly ring = (): void => {
    this.#hasRung = true;
    this.#wake?.();
  };

  /** Resolves when the bell rings, at once if it has rung since the last call. Only one loop may wait at a time. */
  async rung(): Promise<void> {
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#hasRung = false;
    this.#wake = undefined;
  }
}

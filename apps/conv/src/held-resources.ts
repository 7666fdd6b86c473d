/** Resources that are disposed of together, the last one first. Node has `AsyncDisposableStack` for this from its version 24 on. */
export class HeldResources implements AsyncDisposable {
  #held: AsyncDisposable[] = [];

  /** Adds a resource, and returns it. */
  use<Resource extends AsyncDisposable>(resource: Resource): Resource {
    this.#held.push(resource);
    return resource;
  }

  /** Returns an object that holds all resources. This one holds none any more. */
  move(): HeldResources {
    const moved = new HeldResources();
    [moved.#held, this.#held] = [this.#held, []];
    return moved;
  }

  /** Disposes of all resources, also if one of them fails. Rejects with the error of that one, or with an `AggregateError` of several. */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    for (let resource = this.#held.pop(); resource; resource = this.#held.pop())
      try {
        await resource[Symbol.asyncDispose]();
      } catch (error) {
        errors.push(error);
      }
    if (errors.length > 1) throw new AggregateError(errors, 'several resources could not be closed');
    if (errors.length === 1) throw errors[0];
  }
}

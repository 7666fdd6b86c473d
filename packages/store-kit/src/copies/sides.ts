import { isStoreError, StoreError } from '@conv/core/store';

/** The stores of a copy. */
export type Side = 'source' | 'target';

/** The side that an error of a copy came from, kept beside the error because codes say nothing about it. */
const sides = new WeakMap<StoreError, Side>();

/** Runs `action`, and names the side in an error of its store. Any other error, such as the reason of an abort, passes as it is. */
export async function at<Value>(side: Side, action: () => Promise<Value>): Promise<Value> {
  try {
    return await action();
  } catch (error) {
    throw sided(side, error);
  }
}

/** Yields the values of a reading, and names the side in an error of its store. */
export async function* readAt<Value>(side: Side, values: AsyncIterable<Value>): AsyncGenerator<Value, void, undefined> {
  try {
    yield* values;
  } catch (error) {
    throw sided(side, error);
  }
}

/** True if an error of a copy came from this side. */
export function isAt(side: Side, error: StoreError): boolean {
  return sides.get(error) === side;
}

/** Marks an error whose text names the side already, and returns it. */
export function namesSide(side: Side, error: StoreError): StoreError {
  sides.set(error, side);
  return error;
}

function sided(side: Side, error: unknown): unknown {
  if (!isStoreError(error) || sides.has(error)) return error;
  const { code, owner } = error;
  const named = new StoreError(code, `the ${side} of the copy: ${error.text}`, {
    cause: error,
    ...(owner && { owner }),
  });
  sides.set(named, side);
  return named;
}

/** Functions of an object that is there later: each waits for it. An iteration begins when it is there. */
type Later<T> = {
  readonly [Name in keyof T as T[Name] extends (...given: never[]) => unknown ? Name : never]: T[Name];
};

/**
 * Returns the functions of an object that is there when `get` resolves; it is asked for at the first call.
 * @param names the functions that resolve
 * @param iterations the functions that return an iteration
 */
export function later<T extends object>(
  get: () => Promise<T>,
  names: readonly (keyof Later<T> & string)[],
  iterations: readonly (keyof Later<T> & string)[] = [],
): Later<T> {
  type Called = (...given: unknown[]) => unknown;
  const of = async (name: string): Promise<Called> => {
    const object = await get();
    return ((object as Readonly<Record<string, unknown>>)[name] as Called).bind(object);
  };
  const resolving = names.map((name): [string, Called] => [
    name,
    async (...given: unknown[]) => (await of(name))(...given),
  ]);
  const iterating = iterations.map((name): [string, Called] => [
    name,
    async function* (...given: unknown[]): AsyncGenerator {
      yield* (await of(name))(...given) as AsyncIterable<unknown>;
    },
  ]);
  return Object.fromEntries([...resolving, ...iterating]) as unknown as Later<T>;
}

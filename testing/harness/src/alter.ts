/** Returns `target` with some members replaced. */
export function alter<T extends object>(target: T, changes: Partial<T>): T {
  return new Proxy(target, {
    get(inner, key) {
      if (Object.hasOwn(changes, key)) return Reflect.get(changes, key) as unknown;
      const value: unknown = Reflect.get(inner, key, inner);
      return typeof value === 'function' ? (value.bind(inner) as unknown) : value;
    },
  });
}

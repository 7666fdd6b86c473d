/** Members that may be absent, but not `undefined`. */
type Defined<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Returns the members that have a value, for receivers to which an absent member and `undefined` are not the same. */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}

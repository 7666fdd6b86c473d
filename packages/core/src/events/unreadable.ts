const UNREADABLE = Symbol.for('conv.event.unreadable');

/**
 * Notes on an object that it is kept although its fields are not those of its kind. The note is no part of its JSON,
 * and is seen by every copy of this package in the process.
 */
export function markUnreadable(target: object, reason: string): void {
  Object.defineProperty(target, UNREADABLE, { value: reason });
}

/**
 * Returns the reason why an event, action or observation of a known kind is treated as unknown; `undefined` if it is not. Only
 * `readEvent` produces such values.
 */
export function unreadableReason(target: object): string | undefined {
  const reason: unknown = Reflect.get(target, UNREADABLE);
  return typeof reason === 'string' ? reason : undefined;
}

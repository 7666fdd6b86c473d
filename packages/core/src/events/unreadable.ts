const UNREADABLE = Symbol.for('conv.event.unreadable');

/**
 * Marks an object that is kept although its fields do not fit its kind. The mark is not part of its JSON, and every copy of this
 * package in the process sees it.
 */
export function markUnreadable(target: object, reason: string): void {
  Object.defineProperty(target, UNREADABLE, { value: reason });
}

/**
 * Returns the reason why an event, action or observation of a known kind is treated as unknown; `undefined` if it is not. Only
 * `readEvent` produces such values.
 */
export function unreadableReason(target: object): string | undefined {
  const reason = (target as { readonly [UNREADABLE]?: unknown })[UNREADABLE];
  return typeof reason === 'string' ? reason : undefined;
}

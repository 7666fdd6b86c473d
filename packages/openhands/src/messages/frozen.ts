/** Freezes plain JSON in place and returns it. Parts that are frozen already are taken as frozen throughout. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  Object.freeze(value);
  return value;
}

/** Returns the id of the event that the end of an address names. An end with a wrong encoding is an id that no event has. */
export function eventIn(hash: string): string | undefined {
  const named = hash.slice(1);
  if (named === '') return undefined;
  try {
    return decodeURIComponent(named);
  } catch {
    return named;
  }
}

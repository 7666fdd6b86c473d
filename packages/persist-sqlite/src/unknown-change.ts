/** Returns the message of an error for a conversation that may have been made or removed. */
export function unknownChange(id: string, why: string): string {
  return `conversation ${id}: whether it was changed is not known, read it to find out: ${why}`;
}

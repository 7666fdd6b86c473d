/** Characters that are the same in every file system. */
const PLAIN = /^[a-z0-9_-]$/;

/** Returns the name of a record's folder: other characters as the bytes of their UTF-8. */
export function toEntryFolder(name: string): string {
  return Array.from(name, (character) => (PLAIN.test(character) ? character : toHex(character))).join('');
}

/** Returns the name of the record in a folder; `undefined` for a folder of something else. */
export function entryNameIn(folder: string): string | undefined {
  try {
    const name = decodeURIComponent(folder);
    return name !== '' && toEntryFolder(name) === folder ? name : undefined;
  } catch {
    return undefined;
  }
}

function toHex(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

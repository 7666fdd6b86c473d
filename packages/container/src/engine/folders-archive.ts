/** Bytes of a block of an archive. */
const BLOCK = 512;

/**
 * Returns an archive with empty folders that every user writes, as engines unpack it into a container. A container may run as any user, and its
 * volume belongs to root. The format is `ustar`: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
 */
export function foldersArchive(names: readonly string[]): Uint8Array {
  // two empty blocks end it
  const archive = new Uint8Array((names.length + 2) * BLOCK);
  for (const [at, name] of names.entries()) archive.set(headerOf(`${name}/`), at * BLOCK);
  return archive;
}

function headerOf(name: string): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const write = (offset: number, text: string): void => header.set(new TextEncoder().encode(text), offset);
  write(0, name);
  write(100, '0000777');
  // owner, group, size and time
  for (const [offset, digits] of [
    [108, 7],
    [116, 7],
    [124, 11],
    [136, 11],
  ] as const)
    write(offset, '0'.repeat(digits));
  // the sum counts its own field as blanks
  write(148, ' '.repeat(8));
  write(156, '5');
  write(257, 'ustar');
  write(263, '00');
  const sum = header.reduce((total, byte) => total + byte, 0);
  write(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  return header;
}

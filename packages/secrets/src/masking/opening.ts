/** The name before a setting. */
export const ASSIGNMENT: RegExp = /^(export\s+)?["']?[A-Za-z_][\w.-]*["']?\s*[:=]\s*/;

const SCHEME = /^[a-z][\w+.-]*:\/\//i;
const ARMOR = /^-----BEGIN [A-Z0-9 ]+-----/;

/**
 * Returns the beginning of a value that is not secret: the scheme of a URL, the name of a setting, the first line of a key file.
 * A text that ends with it, such as the word "postgres", does not count as a value that was cut off.
 */
export function openingOf(part: string): string {
  const found = SCHEME.exec(part) ?? ARMOR.exec(part) ?? ASSIGNMENT.exec(part);
  return found?.[0] ?? '';
}

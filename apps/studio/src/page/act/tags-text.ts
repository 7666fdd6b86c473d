/** Returns tags as a text, one per line. */
export function tagsText(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([name, value]) => (value === '' ? name : `${name}: ${value}`))
    .join('\n');
}

/** Reads tags, one per line as `name` or `name: value`. Returns a text with the problem and the remedy if one is invalid. */
export function parseTags(text: string): Readonly<Record<string, string>> | string {
  const tags: Record<string, string> = {};
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    const name = (colon === -1 ? line : line.slice(0, colon)).trim();
    const value = colon === -1 ? '' : line.slice(colon + 1).trim();
    if (!/^[a-z0-9]+$/.test(name)) return `“${name}” is not a valid tag name. Use lower-case letters and digits.`;
    if (value.length > 256) return `The value of ${name} has ${value.length} characters. Use at most 256.`;
    tags[name] = value;
  }
  return tags;
}

/** Returns tags as a text, one a line. */
export function tagsText(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([name, value]) => (value === '' ? name : `${name}: ${value}`))
    .join('\n');
}

/** Reads tags, one a line as `name` or `name: value`. Returns what is wrong and what to do as a text. */
export function parseTags(text: string): Readonly<Record<string, string>> | string {
  const tags: Record<string, string> = {};
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    const name = (colon === -1 ? line : line.slice(0, colon)).trim();
    const value = colon === -1 ? '' : line.slice(colon + 1).trim();
    if (!/^[a-z0-9]+$/.test(name)) return `“${name}” is no name of a tag. Use lower-case letters and digits.`;
    if (value.length > 256) return `The value of ${name} has ${value.length} characters. Use at most 256.`;
    tags[name] = value;
  }
  return tags;
}

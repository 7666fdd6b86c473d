/** Texts between tags of this name. What they say cannot close the tag that says what they are. */
export function tagged(name: string, texts: readonly string[]): string {
  const body = texts.join('\n\n').replaceAll(new RegExp(`</(?=${name})`, 'gi'), '< /');
  return `<${name}>\n${body}\n</${name}>`;
}

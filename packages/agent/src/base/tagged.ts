/** Puts texts between tags of this name. A closing tag inside of the texts is defused. */
export function tagged(name: string, texts: readonly string[]): string {
  const body = texts.join('\n\n').replaceAll(new RegExp(`</(?=${name})`, 'gi'), '< /');
  return `<${name}>\n${body}\n</${name}>`;
}

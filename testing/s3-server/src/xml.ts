const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Text as it stands inside an element. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"\r]/g, (character) => ESCAPES[character] ?? character);
}

/** The text of each element with this name, at any depth. */
export function elementsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, text]) => text ?? '',
  );
}

/** The text of the first element with this name, with its escapes undone. */
export function textOf(xml: string, name: string): string | undefined {
  const [text] = elementsOf(xml, name);
  return text === undefined ? undefined : unescapeXml(text);
}

/** Undoes the escapes of XML. */
export function unescapeXml(text: string): string {
  return text
    .replaceAll(/&#x([0-9a-fA-F]+);/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll(/&#(\d+);/g, (_, decimal: string) => String.fromCodePoint(Number(decimal)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

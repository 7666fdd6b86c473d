/** A text as it stands in HTML and XML, between tags and in attributes. */
export function htmlForms(text: string): readonly string[] {
  const content = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const attribute = content.replaceAll('"', '&quot;');
  return [content, attribute, ...['&#39;', '&#x27;', '&apos;'].map((quote) => attribute.replaceAll("'", quote))];
}

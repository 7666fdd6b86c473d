/** The ways in which programs write quotes: in HTML and XML by name; in output of Python, PHP, Go and others by number. */
const QUOTES: readonly (readonly [double: string, single: string])[] = [
  ['"', "'"],
  ['&quot;', "'"],
  ['&quot;', '&#39;'],
  ['&quot;', '&#x27;'],
  ['&quot;', '&#039;'],
  ['&quot;', '&apos;'],
  ['&#34;', '&#39;'],
  ['&#x22;', '&#x27;'],
];

/** Returns the forms of a text in HTML and XML, in attributes too, with non-ASCII characters also as numbers. */
export function htmlForms(text: string): readonly string[] {
  const content = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const forms = QUOTES.map(([double, single]) => content.replaceAll('"', double).replaceAll("'", single));
  // Templates of Go and of Handlebars.
  const [byNumber = '', byName = ''] = [forms[6], forms[3]];
  forms.push(byNumber.replaceAll('+', '&#43;'), byName.replaceAll('`', '&#x60;').replaceAll('=', '&#x3D;'));
  return [...new Set([...forms, ...forms.map(decimal), ...forms.map(hexadecimal)])];
}

function decimal(html: string): string {
  return html.replaceAll(/[^\0-~]/gu, (character) => `&#${character.codePointAt(0)};`);
}

function hexadecimal(html: string): string {
  return html.replaceAll(/[^\0-~]/gu, (character) => `&#x${character.codePointAt(0)?.toString(16).toUpperCase()};`);
}

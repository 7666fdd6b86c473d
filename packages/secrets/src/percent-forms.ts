/** Above so many bytes only what encoders usually write is looked for: these forms take six times the memory of the value. */
const LONG = 16_384;

/** What encoders leave as it is, letters and digits aside. */
const KEPT = {
  strict: '-_.~',
  component: "-_.~!'()*",
  uri: "-_.~!'()*;/?:@&=+$,#",
  path: '-_.~/',
  form: '-_.*',
};

/** Bytes percent-encoded, as for URLs and forms, with digits in both cases, and with no byte left as it is. */
export function percentForms(bytes: Uint8Array): readonly string[] {
  const forms: string[] = [];
  for (const digits of [lowerDigits, upperDigits]) {
    for (const kept of Object.values(KEPT)) forms.push(percentEncoded(bytes, kept, digits));
    forms.push(percentEncoded(bytes, KEPT.form, digits).replaceAll('%20', '+'));
    forms.push(percentEncoded(bytes, KEPT.strict, digits).replaceAll('%20', '+'));
    if (bytes.length <= LONG) forms.push(hexOf(bytes, digits, '%'));
  }
  return forms;
}

/** Bytes as hexadecimal digits, in both cases. */
export function hexForms(bytes: Uint8Array): readonly string[] {
  return bytes.length > LONG ? [] : [hexOf(bytes, lowerDigits, ''), hexOf(bytes, upperDigits, '')];
}

const lowerDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const upperDigits: readonly string[] = lowerDigits.map((digits) => digits.toUpperCase());

function percentEncoded(bytes: Uint8Array, kept: string, digits: readonly string[]): string {
  let encoded = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    encoded += /[A-Za-z0-9]/.test(character) || kept.includes(character) ? character : `%${digits[byte]!}`;
  }
  return encoded;
}

function hexOf(bytes: Uint8Array, digits: readonly string[], prefix: string): string {
  let encoded = '';
  for (const byte of bytes) encoded += prefix + digits[byte]!;
  return encoded;
}

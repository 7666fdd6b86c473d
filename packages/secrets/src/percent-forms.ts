/** Above so many bytes only what encoders usually write is looked for: these forms take six times the memory of the value. */
const LONG = 16_384;

/** What encoders leave as it is, letters and digits aside; the last three are the URL parser's own. */
const KEPT = {
  strict: '-_.~',
  component: "-_.~!'()*",
  componentInUrl: '-_.~!()*',
  uri: "-_.~!'()*;/?:@&=+$,#",
  path: '-_.~/',
  form: '-_.*',
  userInfo: "-_.~!'()*$&+,%",
  urlPath: "-_.~!'()*$&+,%/:;=@[]|\\",
  urlQuery: '-_.~!()*$&+,%/:;=@[]|\\?^`{}',
};

const lowerDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const upperDigits: readonly string[] = lowerDigits.map((digits) => digits.toUpperCase());

/** For each encoder what it writes for each byte. */
const ENCODERS: readonly (readonly string[])[] = [lowerDigits, upperDigits].flatMap((digits) => [
  ...Object.values(KEPT).map((kept) => encoder(kept, digits)),
  encoder(KEPT.form, digits).with(0x20, '+'),
  encoder(KEPT.strict, digits).with(0x20, '+'),
]);
const BYTE_ENCODERS: readonly (readonly string[])[] = [lowerDigits, upperDigits].map((digits) =>
  digits.map((pair) => `%${pair}`),
);

/** Bytes percent-encoded, as for URLs and forms, with digits in both cases, and with no byte left as it is. */
export function percentForms(bytes: Uint8Array): readonly string[] {
  const encoders = bytes.length > LONG ? ENCODERS : [...ENCODERS, ...BYTE_ENCODERS];
  return encoders.map((table) => encoded(bytes, table));
}

/** Bytes as hexadecimal digits, in both cases. */
export function hexForms(bytes: Uint8Array): readonly string[] {
  return bytes.length > LONG ? [] : [encoded(bytes, lowerDigits), encoded(bytes, upperDigits)];
}

function encoder(kept: string, digits: readonly string[]): string[] {
  return digits.map((pair, byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9]/.test(character) || kept.includes(character) ? character : `%${pair}`;
  });
}

function encoded(bytes: Uint8Array, table: readonly string[]): string {
  let text = '';
  for (const byte of bytes) text += table[byte]!;
  return text;
}

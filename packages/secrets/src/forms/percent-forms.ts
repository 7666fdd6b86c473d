/** Characters that encoders leave as they are, besides letters and digits; the last three sets are the URL parser's own. */
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

interface Encoder {
  readonly kept: string;
  readonly space: string;
}

const ENCODERS: readonly Encoder[] = [
  ...Object.values(KEPT).map((kept) => ({ kept, space: '%20' })),
  { kept: KEPT.form, space: '+' },
  { kept: KEPT.strict, space: '+' },
];

/** The digits of each byte, in both cases. */
const DIGITS: readonly (readonly string[])[] = [false, true].map((upper) =>
  Array.from({ length: 256 }, (_, byte) => {
    const digits = byte.toString(16).padStart(2, '0');
    return upper ? digits.toUpperCase() : digits;
  }),
);

/** Bytes percent-encoded, as for URLs and forms, with digits in both cases. */
export function percentForms(bytes: Uint8Array): ReadonlySet<string> {
  // A character for each byte.
  const text = Buffer.from(bytes).toString('latin1');
  const special = [...new Set(text.replaceAll(/[A-Za-z0-9]+/g, ''))];
  const forms = new Set<string>();
  // Encoders that do the same with these characters need not encode them again.
  const done = new Set<string>();
  for (const { kept, space } of ENCODERS) {
    for (const digits of DIGITS) {
      const encode = (character: string): string => {
        if (kept.includes(character)) return character;
        return character === ' ' ? space : `%${digits[character.charCodeAt(0)]}`;
      };
      const encoded = special.map(encode).join(' ');
      if (done.has(encoded)) continue;
      done.add(encoded);
      forms.add(text.replaceAll(/[^A-Za-z0-9]/g, encode));
    }
  }
  return forms;
}

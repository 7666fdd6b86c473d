/** Bytes as hexadecimal digits, in both cases. */
export function hexForms(bytes: Uint8Array): readonly string[] {
  const lower = Buffer.from(bytes).toString('hex');
  return [lower, lower.toUpperCase()];
}

/** Bytes as hexadecimal digits with something before or between them: every byte percent-encoded, `ab cd`, `ab:cd`, `AB-CD`. */
export function byteForms(bytes: Uint8Array): readonly string[] {
  const [lower, upper] = hexForms(bytes).map((digits) => digits.match(/../g) ?? []);
  if (lower === undefined || upper === undefined) return [];
  return [
    ...[lower, upper].map((pairs) => pairs.map((pair) => `%${pair}`).join('')),
    // Dumps, keys and fingerprints, .NET.
    lower.join(' '),
    lower.join(':'),
    upper.join(':'),
    upper.join('-'),
  ];
}

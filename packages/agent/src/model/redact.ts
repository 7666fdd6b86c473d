const KEY_SHAPES = [
  /\b(?:sk|pk|rk|gsk|xai|key|api|ghp|hf)[-_](?=[\w*.-]*[\d*])[\w*.-]{6,}/g,
  /\bAIza[A-Za-z0-9_-]{10,}/g,
  /\bBearer\s+[A-Za-z0-9._~+/=-]{6,}/gi,
];

/** Returns `text` without these secrets and without any text in the form of a key. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
  const masked = known.reduce((result, secret) => result.replaceAll(secret, '<redacted>'), text);
  return KEY_SHAPES.reduce((result, shape) => result.replace(shape, '<redacted>'), masked);
}

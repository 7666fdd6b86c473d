const SAYS_SECRET =
  /key|token|secret|passw|pwd|credential|auth|cookie|private|session|signature|webhook|bearer|license/i;
const SCHEME = /^(?:bearer|basic|token|apikey|key)\s+/i;

/** Words, paths, numbers and versions: masking `production` wherever it stands would destroy ordinary text. */
const PLAIN_WORDS = /^(?:[\d.,:%]+|[a-z]*(?:[-_./, ;*@+][a-z]*)*)$/i;
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;

/**
 * Returns the secrets in the value of a header or a variable. The whole value, and its part after a scheme, is secret if the name
 * says so or if it is no plain word, because a harmless name proves nothing. Of an address only the password is secret.
 */
export function secretsIn(name: string, value: string): readonly string[] {
  const isSecret = SAYS_SECRET.test(name) || !(PLAIN_WORDS.test(value) || ADDRESS.test(value));
  const own = isSecret || SCHEME.test(value) ? [value, value.replace(SCHEME, '')] : [];
  return [...new Set([...own, ...passwordsIn(value)])].filter((text) => text.trim() !== '');
}

/** Returns the password of an address, encoded and decoded. */
export function passwordsIn(value: string): readonly string[] {
  if (!value.includes('@') || !URL.canParse(value)) return [];
  const { password } = new URL(value);
  if (password === '') return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

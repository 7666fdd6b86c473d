const SAYS_SECRET =
  /key|token|secret|passw|pwd|credential|auth|cookie|private|session|signature|webhook|bearer|license/i;
const SCHEME = /^(?:bearer|basic|token|apikey|key)\s+/i;

/**
 * What is secret in the value of a header or a variable: all of it when the name says so, behind its scheme too, and the
 * password of a URL. Most values are not: masking `production` wherever it stands would destroy ordinary text.
 */
export function secretsIn(name: string, value: string): readonly string[] {
  const own = SAYS_SECRET.test(name) || SCHEME.test(value) ? [value, value.replace(SCHEME, '')] : [];
  return [...new Set([...own, ...passwordsIn(value)])].filter((text) => text.trim() !== '');
}

function passwordsIn(value: string): readonly string[] {
  if (!value.includes('@') || !URL.canParse(value)) return [];
  const { password } = new URL(value);
  if (password === '') return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

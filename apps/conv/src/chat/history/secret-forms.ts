/** Forms of providers' keys, and of assignments to names of secrets. */
const FORMS: readonly RegExp[] = [
  /\b(?:sk|rk|pk)[-_][\w-]{16,}/,
  /\b(?:gh[a-z]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|npm_\w{20,}|hf_\w{20,})/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/,
  /\bAIza[\w-]{20,}/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]+@/i,
  /\bbearer\s+[\w.~+/-]{12,}/i,
  /(?:api[-_ ]?key|token|secret|password|passwd|passphrase|credential)s?["']?\s*(?:[=:]|\bis\b)\s*["']?\S{4,}/i,
];

/** A run of characters that could be a key. */
const LONG_WORD = /[\w+/=-]{24,}/g;

/** True if a text holds something that looks like a key or a password. Errs on the side of true. */
export function looksSecret(text: string): boolean {
  if (FORMS.some((form) => form.test(text))) return true;
  return (text.match(LONG_WORD) ?? []).some(isRandom);
}

/** True for a word that mixes digits with letters of both kinds, as names and paths rarely do; ids of conversations are hexadecimal. */
function isRandom(word: string): boolean {
  const parts = [/\d/, /[a-z]/, /[A-Z]/].filter((kind) => kind.test(word)).length;
  const changes = (word.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g) ?? []).length;
  return (parts === 3 && changes >= 4) || /^[0-9a-f]{32,}$/i.test(word);
}

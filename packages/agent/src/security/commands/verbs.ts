const DASH = 45;

/** Options of many managers that take no value. Behind any other option, a word may be its value or the verb. */
const FLAGS =
  /^-(?:-(?:silent|quiet|verbose|global|yes|recursive|workspace-root|offline|json|dev|frozen|locked|isolated|active|exact|all-\w+|no|no-[\w-]+|if-present|ignore-scripts|[\w-]+=.*)|[sqvyDU])$/s;

/**
 * Returns the places of the words that may be the verb of a command. Where an unknown option stands before, it may take
 * a value or none, so that both the word behind it and the next one may be the verb.
 */
export function verbsOf(texts: readonly string[]): readonly number[] {
  const found: number[] = [];
  let isOpen = false;
  for (const [at, text] of texts.entries()) {
    if (text.length > 1 && text.charCodeAt(0) === DASH) {
      if (text === '--') return at + 1 < texts.length ? [...found, at + 1] : found;
      isOpen = !FLAGS.test(text);
      continue;
    }
    // a version of the program itself: `cargo +nightly`
    if (at === 0 && text.startsWith('+')) continue;
    found.push(at);
    if (!isOpen) break;
    isOpen = false;
  }
  return found;
}

/** Returns a text as it is written between quotes in languages that double a quote: CSV, SQL, YAML, PowerShell and Pascal. */
export function doubledQuotes(text: string): readonly string[] {
  return ['"', "'"].map((quote) => text.replaceAll(quote, quote + quote));
}

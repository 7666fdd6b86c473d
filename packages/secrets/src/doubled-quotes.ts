/** A text as it stands between quotes where a quote is written twice: in CSV, SQL, YAML, PowerShell and Pascal. */
export function doubledQuotes(text: string): readonly string[] {
  return ['"', "'"].map((quote) => text.replaceAll(quote, quote + quote));
}

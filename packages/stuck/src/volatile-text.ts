/** The placeholder of a volatile part. */
const PLACE = '\u0001';

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
const YEAR = String.raw`(?:19|20)\d\d`;
const ZONE = String.raw`(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?\b`;

/**
 * Patterns of the text behind the first digit of a number. {@link NUMBERS} matches that digit itself, so that the engine skips
 * all other characters without trying any pattern; each lookbehind therefore ends with the digit. No pattern matches the same
 * text in two ways, so that one pass is linear. No pattern matches a bare number, a percentage, `17/100`, `12:34`, a size or a
 * version, because these show progress.
 */
const numbers = [
  // 2026-11-20, 2026-11-20T09:39:45.123Z, 2026/11/20 09:39
  String.raw`[09](?<=19|20)\d\d[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?${ZONE})?`,
  // 11/20/2026, 20.11.2026
  String.raw`\d?[/.]\d{1,2}[/.]${YEAR}\b`,
  // 20 Nov 2026
  String.raw`\d? ${MONTH} ${YEAR}\b`,
  // Nov 20 09:39, Nov 20 2026, Nov 20, 2026
  String.raw`(?<=${MONTH} {1,2}\d)\d?(?:,? ${YEAR}\b| {1,2}\d{1,2}:\d\d(?::\d\d)?\b)`,
  // 09:39:45, 09:39:45.123 UTC, 9:39 AM. After a colon it may be a line and a column.
  String.raw`(?<!:\d)\d?:\d\d:\d\d(?:[.,]\d{1,9})?${ZONE}(?: [AP]M\b)?`,
  String.raw`\d?:\d\d ?[AaPp][Mm]\b`,
  // 1h2m, 2m 3.4s; 1.23s, 12 ms, 3 minutes
  String.raw`\d{0,5}h ?\d{1,2}m(?: ?\d{1,2}(?:\.\d{1,9})?s)?\b`,
  String.raw`\d{0,5}m ?\d{1,2}(?:\.\d{1,9})?s\b`,
  String.raw`[\d.,]* ?(?:[nuµμ]s|ms|msec|s|secs?|seconds?|mins?|minutes?|hours?)\b`,
  // Since 1970, in milliseconds, microseconds or nanoseconds; in seconds only with a fraction
  String.raw`[5-9](?<=1\d)\d{8}(?:\.\d{1,9}|\d{3}|\d{6}|\d{9})\b`,
  // 0x7f3a5c0012f0
  String.raw`x(?<=0x)[0-9a-fA-F]{6,16}\b`,
  // pid 123, PPID: 123, "pid": 123, process [123], process id 123, ==123==, [1] 12345 of a shell's job
  String.raw`(?<=(?:\b|_)[Pp]?[Pp][Ii][Dd]"?[ :=#]{1,2}\d)\d*\b`,
  String.raw`(?<=[Pp]rocess (?:\[|[Ii][Dd]:? )\d)\d*\b`,
  String.raw`(?<===\d)\d*(?===)`,
  String.raw`(?<=^\[\d\] \d)\d{1,6}$`,
  // "elapsed_ms": 12, duration=0.25, timestamp: 1790000000
  String.raw`(?<=(?:elapsed|duration|uptime|timestamp)(?:_[a-z]{1,8})?"?[ :=]{1,3}\d)[\d.,]*`,
  // A port that the system chose: localhost:54321
  String.raw`(?<=(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d)\d{4}\b`,
];

const NUMBERS = new RegExp(String.raw`(?<![\w.,])\d(?:${numbers.join('|')})`, 'gm');

/** Part of each text that one of the next three expressions matches, found in one pass. */
const HINT = /\/(?:tmp|T)\/|_output_|-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-/;
const UUID = /\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b/g;

/** /tmp/tmpab12cd34, /tmp/tmp.Ab3dE6, /tmp/build-x7Qz1a: names that mix letters with digits or capitals at random. */
const TEMPORARY =
  /(?<=\/(?:tmp|T)\/)(?:tmp[._-]?[A-Za-z0-9_]{6,12}\b|(?:[A-Za-z0-9]+[-._])*(?=[A-Za-z0-9]*[A-Za-z])(?=[A-Za-z0-9]*[A-Z]|[a-z]*[0-9])[A-Za-z0-9]{6,12}\b)/g;

/** The file of an output too long to show. Its name is a hash, which also depends on times that are not visible. */
const OUTPUT_FILE = /(?<=_output_)[0-9a-f]{8,64}\b/g;

/** Returns the text without parts that differ in each run: process ids, dates, times, durations, addresses, ids, temporary names. */
export function withoutVolatile(text: string): string {
  const named = HINT.test(text)
    ? text.replace(UUID, PLACE).replace(TEMPORARY, PLACE).replace(OUTPUT_FILE, PLACE)
    : text;
  return named.replace(NUMBERS, PLACE);
}

export const NO_RUNS = 'a log runs nothing';
export const BARE_STEP = 'two appends: a call and its result';

/** Returns a line with the members that an event of ours has beside the text. */
export function lineOf(text: string): string {
  const id = crypto.randomUUID();
  return `${JSON.stringify({ id, parent_id: id, timestamp: '2026-01-01T00:00:00.000000', source: 'user', text, kind: 'MessageEvent', sender: 'y'.repeat(60), activated_skills: [], extended_content: [] })}\n`;
}

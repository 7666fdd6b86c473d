/** A row of docs/seed-api.md: `| document | name | ours | where / why absent |`. */
export interface Row {
  readonly line: number;
  readonly document: string;
  readonly name: string;
  /** Our names for it, e.g. `Conversation`, `ConversationState.executionStatus`; empty when it is absent. */
  readonly ours: readonly string[];
  /** The package entries that have them, e.g. `@conv/core/store`. */
  readonly entries: readonly string[];
  /** The last cell in words. */
  readonly reason: string;
}

/** The rows of the table, headings and rules left out. An escaped bar belongs to its cell. */
export function rowsOf(text: string): readonly Row[] {
  return text.split('\n').flatMap((each, index) => {
    const cells = each
      .trim()
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
    const [document = '', name = '', ours = '', where = ''] = cells;
    if (cells.length !== 4 || document === 'document' || /^:?-+:?$/.test(document)) return [];
    const codes = codesOf(where);
    return [
      {
        line: index + 1,
        document,
        name,
        ours: codesOf(ours),
        entries: codes.filter((code) => code.startsWith('@')),
        reason: where,
      },
    ];
  });
}

function codesOf(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\\\|/g, '|'));
}

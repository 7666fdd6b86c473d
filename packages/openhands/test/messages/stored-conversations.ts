import { readdirSync, readFileSync } from 'node:fs';

const FIXTURES = new URL('../../../../testing/fixtures/', import.meta.url);

/** A conversation that the reference wrote, and what the reference itself makes of it. */
export interface StoredConversation {
  readonly id: string;
  /** The texts of the event files, in order. */
  readonly eventTexts: readonly string[];
  readonly golden: { readonly view: readonly string[]; readonly messages: unknown; readonly responses: unknown };
}

/** The conversations that the reference wrote. */
export function storedConversations(): StoredConversation[] {
  return readdirSync(new URL('conversations/', FIXTURES)).map((id) => ({
    id,
    eventTexts: textsIn(new URL(`conversations/${id}/events/`, FIXTURES)),
    golden: JSON.parse(readFileSync(new URL(`golden/${id}.json`, FIXTURES), 'utf8')),
  }));
}

function textsIn(folder: URL): string[] {
  const names = readdirSync(folder).filter((name) => /^event-\d{5,}-[0-9a-fA-F-]{8,}\.json$/.test(name));
  return names.toSorted().map((name) => readFileSync(new URL(name, folder), 'utf8'));
}

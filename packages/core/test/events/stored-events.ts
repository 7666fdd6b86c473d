import { readdirSync, readFileSync } from 'node:fs';

const FIXTURES = new URL('../../../../testing/fixtures/', import.meta.url);

/** A conversation folder of the reference: what it wrote. */
export interface StoredConversation {
  readonly id: string;
  /** The texts of the event files, in order. */
  readonly eventTexts: readonly string[];
}

/** The conversations that the reference wrote. */
export function storedConversations(): StoredConversation[] {
  return readdirSync(new URL('conversations/', FIXTURES)).map((id) => {
    const folder = new URL(`conversations/${id}/events/`, FIXTURES);
    const names = readdirSync(folder).filter((name) => /^event-\d{5,}-[0-9a-fA-F-]{8,}\.json$/.test(name));
    const eventTexts = names.toSorted().map((name) => readFileSync(new URL(name, folder), 'utf8'));
    return { id, eventTexts };
  });
}

/** The texts of the frames that a client of the reference received. */
export function socketFrames(): string[] {
  return lines(new URL('socket-frames.jsonl', FIXTURES));
}

/** Returns an example of every kind, from the description of the protocol. */
export function exampleEvents(): string[] {
  return lines(new URL('examples.jsonl', import.meta.url));
}

function lines(file: URL): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

/** Address of a server's conversation, for a plain HTTP client that knows nothing of this project. */
export interface RestAddress {
  readonly url: string;
  readonly key: string;
  readonly id: string;
}

interface Page {
  readonly items: readonly unknown[];
  readonly next_page_id: string | null;
}

/** All events that the server shows, in its order. */
export async function eventsByRest({ url, key, id }: RestAddress): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let next: string | null = null;
  do {
    const from: string = next === null ? '' : `&page_id=${next}`;
    const response = await fetch(`${url}/api/conversations/${id}/events/search?limit=20${from}`, {
      headers: { 'x-session-api-key': key },
    });
    const page = (await response.json()) as Page;
    all.push(...page.items);
    next = page.next_page_id;
  } while (next !== null);
  return all;
}

/** Returns the status of a request without a key. */
export async function statusWithoutKey({ url, id }: Omit<RestAddress, 'key'>): Promise<number> {
  const response = await fetch(`${url}/api/conversations/${id}`);
  await response.body?.cancel();
  return response.status;
}

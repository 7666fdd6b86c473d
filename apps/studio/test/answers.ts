import type { Page } from 'playwright-core';

/** The answer to a request of a page. */
export interface Answer {
  readonly path: string;
  readonly bytes: number;
  /** The number of events that it holds, in pages of events and in commits. */
  readonly events: number;
}

/** The data that a page got from its server. */
export interface Answers {
  readonly requests: readonly Answer[];
  /** The number of frames of all sockets. */
  readonly frames: number;
}

/** Counts the data that a page gets from now on. The returned function resolves with the counts so far. */
export function countAnswers(page: Page): () => Promise<Answers> {
  const requests: Promise<Answer>[] = [];
  let frames = 0;
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'fetch') return;
    const { pathname, search } = new URL(response.url());
    const answer = response
      .text()
      .then((text) => ({ path: pathname + search, bytes: text.length, events: eventsIn(text) }));
    // a page that closes rejects answers that no test waits for
    answer.catch(() => {});
    requests.push(answer);
  });
  page.on('websocket', (socket) => socket.on('framereceived', () => frames++));
  return async () => ({ requests: await Promise.all(requests), frames });
}

function eventsIn(text: string): number {
  if (!text.startsWith('{')) return 0;
  const { items = [], commits = [] } = JSON.parse(text) as {
    readonly items?: readonly unknown[];
    readonly commits?: readonly { readonly events: readonly unknown[] }[];
  };
  return items.length + commits.reduce((sum, { events }) => sum + events.length, 0);
}

/** Sends JSON. Rejects for an answer that is an error. */
export async function post(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}: ${await answer.text()}`);
  return answer;
}

/** Yields the server-sent events of an answer. */
export async function* eventsOf(answer: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of answer.body ?? []) {
    const events = `${rest}${decoder.decode(part, { stream: true })}`.split('\n\n');
    rest = events.pop() as string;
    yield* events;
  }
}

/** Resolves with the id of the newest message of the user, in a conversation of few events. */
export async function newestMessage(port: number, id: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/conversations/${id}/events/search?limit=100`);
  const { items } = (await answer.json()) as {
    readonly items: readonly { readonly id: string; readonly source: string }[];
  };
  const message = items.findLast(({ source }) => source === 'user');
  if (!message) throw new Error(`expected a message in conversation ${id}, found none`);
  return message.id;
}

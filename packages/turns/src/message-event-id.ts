const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** True if the id of a client's message can be that of its event: a UUID in lower case. */
export function isEventId(id: string): boolean {
  return UUID.test(id);
}

/**
 * Resolves with the id of the event of a client's message: the message's own id in lower case if that is a UUID, else a UUID that is the same for
 * the same message of the same conversation or chat, so that a repeated message is stored once.
 */
export async function messageEventId(scope: string, messageId: string): Promise<string> {
  const uuid = messageId.toLowerCase();
  if (isEventId(uuid)) return uuid;
  const bytes = new TextEncoder().encode(JSON.stringify([scope, messageId]));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

import { StoreError } from '../errors/store-error.ts';

const DASHED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** Returns a conversation's id as a dashed lower-case UUID. Takes 32 hex digits too; throws `INVALID_ID` for anything else. */
export function toConversationId(id: string): string {
  const lower = typeof id === 'string' ? id.toLowerCase() : '';
  if (DASHED.test(lower)) return lower;
  const hex = HEX.exec(lower);
  if (hex) return hex.slice(1).join('-');
  const text = `expected the id of a conversation, a UUID such as 01234567-89ab-4cde-8f01-23456789abcd, found ${JSON.stringify(id)?.slice(0, 80)}, which is not a UUID`;
  throw new StoreError('INVALID_ID', text);
}

/** Returns a conversation's id as its folder is called: 32 hex digits. Throws `INVALID_ID`. */
export function toConversationKey(id: string): string {
  return toConversationId(id).replaceAll('-', '');
}

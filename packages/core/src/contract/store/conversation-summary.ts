import { isoNow, type Platform } from '../../platform/platform.ts';
import { systemPlatform } from '../../platform/system-platform.ts';
import type { StateFields } from '../state/fields.ts';
import type { ConversationSummary } from './conversation-store.ts';

/** Returns the list entry of a conversation in this state. `updatedAt`: the time of the state, UTC, ISO 8601. Default: now. */
export function conversationSummary(
  id: string,
  fields: StateFields,
  updatedAt?: string,
  platform: Pick<Platform, 'now'> = systemPlatform,
): ConversationSummary {
  const { title, executionStatus, createdAt, tags, parentId, forkedFrom } = fields;
  const time = updatedAt ?? isoNow(platform);
  return { id, title, status: executionStatus, createdAt, updatedAt: time, tags, parentId, forkedFrom };
}

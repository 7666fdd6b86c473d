import type { ConversationInfo } from '@conv/openhands/rest';
import type { ClientQuestions } from './client-questions.ts';

/** A conversation as the list shows it. */
export interface Row {
  readonly id: string;
  /** `null` if it has none. */
  readonly title: string | null;
  /** The status that the server says, or `waiting_for_answer` while a call of a client tool waits for a person. */
  readonly status: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly model: string;
  /** US dollars. */
  readonly cost: number;
  /** UTC, ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly workspace: string;
  /** The conversation that started it as a sub-agent. */
  readonly parentId: string | null;
  /** The conversation that it is a fork of, and the event after which it begins; `null` for its end. */
  readonly forkedFrom: { readonly id: string; readonly event: string | null } | null;
  readonly damaged: boolean;
}

/** A server's answer; servers of other versions may leave out any member. */
export type SaidConversation = { readonly [Name in keyof ConversationInfo]?: ConversationInfo[Name] } & {
  readonly id: string;
};

/** Returns what the list shows of a conversation. Of the calls of client tools that wait there, `questions` knows those for a person. */
export function toRow(info: SaidConversation, questions: Pick<ClientQuestions, 'asked'>): Row {
  const usages = Object.values(info.stats?.usage_to_metrics ?? {});
  const origin = info.forked_from_conversation_id ?? null;
  const folder = info.workspace?.['working_dir'];
  const waits = questions.asked(info.unanswered_calls ?? []).length > 0;
  return {
    id: info.id,
    title: info.title ?? null,
    status: waits ? 'waiting_for_answer' : (info.execution_status ?? 'idle'),
    tags: info.tags ?? {},
    model: modelOf(info),
    cost: usages.reduce((sum, { accumulated_cost: cost }) => sum + cost, 0),
    createdAt: info.created_at ?? '',
    updatedAt: info.updated_at ?? info.created_at ?? '',
    workspace: typeof folder === 'string' ? folder : '',
    parentId: info.parent_conversation_id ?? null,
    forkedFrom: origin === null ? null : { id: origin, event: info.forked_from_event_id ?? null },
    damaged: info.damaged === true,
  };
}

/** Returns the name of a conversation's model; empty if it says none. */
export function modelOf({
  agent,
  current_model_id: current,
}: Pick<SaidConversation, 'agent' | 'current_model_id'>): string {
  const llm: unknown = agent?.['llm'];
  const model: unknown = typeof llm === 'object' && llm !== null && 'model' in llm ? llm.model : undefined;
  return current ?? (typeof model === 'string' ? model : '');
}

/** Returns the title of a conversation, or a name from its id. */
export function nameOf({ title, id }: Pick<Row, 'title' | 'id'>): string {
  return title === null || title.trim() === '' ? `Untitled ${id.slice(0, 8)}` : title;
}

/** Returns the tags that tell more than the title: a fork has its title as a tag, too, for clients of OpenHands. */
export function shownTags(
  tags: Row['tags'],
  title: string | null,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(tags).filter(([name, value]) => name !== 'title' || value !== title);
}

/** True if a conversation continues only after a person has acted. */
export function waitsForPerson({ status }: Pick<Row, 'status'>): boolean {
  return status === 'waiting_for_confirmation' || status === 'waiting_for_answer';
}

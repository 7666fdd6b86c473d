import { messageContent } from '../act/message-content.ts';
import type { Api } from '../data/api.ts';
import { serverRequests } from '../data/requests.ts';
import type { WholeForm } from './start-form.ts';
import { startRequest } from './start-request.ts';

/**
 * Starts a conversation with this id, its first message and a run. A repetition with the same id makes no second one. Rejects as
 * `Api.call`.
 */
export async function startConversation(api: Api, id: string, form: WholeForm): Promise<void> {
  const content = await messageContent(api, form.workspace, form);
  const body = startRequest(id, form, content);
  await api.call(serverRequests.startConversation, { body, headers: { 'Idempotency-Key': id } });
  const title = form.title.trim();
  if (title === '') return;
  await api.call(serverRequests.changeConversation, { params: { conversation_id: id }, body: { title } });
}

import { conversationRoutes, fileRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { conversationServing } from './conversation-serving.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { conversationNotFound } from '../hosting/conversation-not-found.ts';
import { serveRoute } from '../http/serve-route.ts';
import { withReading } from '../hosting/with-conversation.ts';
import { ConversationInfos } from '../conversations/conversation-infos.ts';
import { forkConversation } from '../conversations/fork-conversation.ts';
import { countListed, listConversations } from '../conversations/list-conversations.ts';
import { startConversation } from '../conversations/start-conversation.ts';
import { worktreeIn, type Worktree } from '../workspace/worktree.ts';
import { releaseWorktree } from '../conversations/workspace-folder.ts';

/** Serves the routes that create, find, change and delete conversations. */
export function serveConversations(app: FastifyInstance, host: ConversationHost): void {
  const infos = new ConversationInfos(host);
  serveRoute(app, conversationRoutes.start, (call) => startConversation(host, infos, call));
  serveReading(app, host, infos);
  serveChanging(app, host, infos);
}

function serveReading(app: FastifyInstance, host: ConversationHost, infos: ConversationInfos): void {
  const { store } = host.options;
  serveRoute(app, conversationRoutes.getMany, ({ query }) => infos.ofEach(query.ids, query.include_skills));
  serveRoute(app, conversationRoutes.search, async ({ query }) => {
    const { items, next } = await listConversations(store, query);
    const { infos: found, unreadable } = await infos.ofListed(items, query.include_skills);
    return { items: found, next_page_id: next ?? null, unreadable };
  });
  serveRoute(app, conversationRoutes.count, ({ query }) => countListed(store, query.status));
  const { read } = conversationServing(app, host);
  read(conversationRoutes.get, (reading, { query }) => infos.of(reading, query.include_skills));
}

function serveChanging(app: FastifyInstance, host: ConversationHost, infos: ConversationInfos): void {
  const { command } = conversationServing(app, host);
  command(conversationRoutes.update, async ({ conversation }, { body }) => {
    if (body.tags !== null) await conversation.settings.setTags(body.tags);
    if (body.title !== null) await conversation.settings.setTitle(body.title);
  });
  serveRoute(app, conversationRoutes.delete, async ({ params }) => {
    await deleteWithWorktree(host, params.conversation_id);
    infos.children.forget(params.conversation_id);
    return { success: true };
  });
  serveRoute(app, conversationRoutes.fork, (call) => forkConversation(host, infos, call), {
    missing: 'Source conversation not found',
    unknownEvent: 'Unknown from_event_id',
  });
  const texts = { missing: 'Conversation not found', unknownEvent: 'Unknown event_id' };
  const { use } = conversationServing(app, host, texts);
  use(conversationRoutes.navigate, async (hosted, { query, body }) => {
    await hosted.conversation.history.navigateTo(body.event_id);
    return infos.ofLoaded(hosted, query.include_skills);
  });
}

async function deleteWithWorktree(host: ConversationHost, id: string): Promise<void> {
  const worktree = await worktreeOf(host, id);
  await host.delete(id);
  if (worktree) await releaseWorktree(host, id, worktree);
}

/** Returns the worktree of a conversation; `undefined` also for a conversation that cannot be read, which can be deleted all the same. */
async function worktreeOf(host: ConversationHost, id: string): Promise<Worktree | undefined> {
  try {
    return await withReading(host, id, async ({ fields }) => worktreeIn(fields.extra.meta));
  } catch {
    return undefined;
  }
}

/** Serves conversations as archives. */
export function serveTrajectory(app: FastifyInstance, host: ConversationHost): void {
  serveRoute(app, fileRoutes.downloadTrajectory, async ({ params, reply }) => {
    const { conversation_id: id } = params;
    const { trajectoryOf } = await import('../conversations/trajectory.ts');
    const reading = await host.read(id);
    if (!reading) throw conversationNotFound(id);
    const archive = trajectoryOf(reading, host.platform);
    archive.once('close', () => void reading[Symbol.asyncDispose]());
    void reply.header('content-disposition', `attachment; filename="conversation-${id.replaceAll('-', '')}.zip"`);
    return archive;
  });
}

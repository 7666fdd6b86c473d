import { Turns } from '@conv/core/platform';
import { conversationRoutes, fileRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import { checkTags } from '../auth/approver-checks.ts';
import { accessOf, callerOf } from '../auth/caller.ts';
import type { Caller } from '../auth/principal.ts';
import { conversationServing } from './conversation-serving.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { conversationNotFound } from '../hosting/conversation-not-found.ts';
import { serveRoute } from '../http/serve-route.ts';
import { ConversationInfos } from '../conversations/conversation-infos.ts';
import { runtimeInfoOf } from '../conversations/runtime-info.ts';
import { deleteConversation } from '../conversations/delete-conversation.ts';
import { forkConversation } from '../conversations/fork-conversation.ts';
import type { KnownConversations } from '../conversations/known-conversations.ts';
import { countKnown, listKnownOrFirst } from '../conversations/list-known.ts';
import type { ReachableFolders } from '../conversations/reachable-folders.ts';
import type { ChildLauncher } from '../conversations/child-launcher.ts';
import { startChild } from '../conversations/start-child.ts';
import { startConversation } from '../conversations/start-conversation.ts';

/** Serves the routes that create, find, change and delete conversations. */
export function serveConversations(
  app: FastifyInstance,
  host: ConversationHost,
  {
    known,
    reach,
    children,
  }: { readonly known: KnownConversations; readonly reach: ReachableFolders; readonly children: ChildLauncher },
): void {
  const infos = new ConversationInfos(host, known);
  serveRoute(app, conversationRoutes.start, (call) => startConversation(host, { infos, reach }, call));
  const starting = { infos, reach, turns: new Turns() };
  children.serveBy((parentId, request) => startChild(host, starting, { parentId, request }));
  serveRoute(
    app,
    conversationRoutes.startChild,
    ({ params: { conversation_id: parentId }, body, request }) =>
      startChild(host, starting, { parentId, request: body, caller: callerOf(request) }),
    { missing: 'Parent conversation not found' },
  );
  serveReading(app, host, infos);
  serveChanging(app, host, infos);
}

function serveReading(app: FastifyInstance, host: ConversationHost, infos: ConversationInfos): void {
  const { store } = host.options;
  const { known } = infos;
  serveRoute(app, conversationRoutes.getMany, ({ query, request }) =>
    infos.ofEach(query.ids, { includeSkills: query.include_skills, caller: callerOf(request) }),
  );
  serveRoute(app, conversationRoutes.search, async ({ query, request }) => {
    const caller = callerOf(request);
    const { items, next } = await listKnownOrFirst(store, query, { caller, known });
    const { infos: found, unreadable } = await infos.ofListed(items, { includeSkills: query.include_skills, caller });
    return { items: found, next_page_id: next ?? null, unreadable };
  });
  serveRoute(app, conversationRoutes.count, ({ query, request }) =>
    countKnown(store, query.status, { caller: callerOf(request), known }),
  );
  const { read } = conversationServing(app, host);
  read(conversationRoutes.getRuntime, async ({ fields }) => runtimeInfoOf(host, fields));
  read(conversationRoutes.reprovisionRuntime, async ({ fields }) => runtimeInfoOf(host, fields));
  read(conversationRoutes.get, (reading, { query, request }) =>
    infos.of(reading, { includeSkills: query.include_skills, caller: callerOf(request) }),
  );
}

function serveChanging(app: FastifyInstance, host: ConversationHost, infos: ConversationInfos): void {
  const { command } = conversationServing(app, host);
  command(conversationRoutes.update, async ({ conversation }, { body, request }) => {
    if (body.tags !== null) {
      keepTags(callerOf(request), conversation.state.tags, body.tags);
      checkTags(accessOf(request), conversation.state.tags, body.tags);
      await conversation.settings.setTags(body.tags);
    }
    if (body.title !== null) await conversation.settings.setTitle(body.title);
  });
  serveRoute(app, conversationRoutes.delete, async ({ params }) => {
    await deleteConversation(host, infos, params.conversation_id);
    return { success: true };
  });
  serveRoute(app, conversationRoutes.fork, (call) => forkConversation(host, infos, call), {
    missing: 'Source conversation not found',
    unknownEvent: 'Unknown from_event_id',
  });
  const texts = { missing: 'Conversation not found', unknownEvent: 'Unknown event_id' };
  const { use } = conversationServing(app, host, texts);
  use(conversationRoutes.navigate, async (hosted, { query, body, request }) => {
    await hosted.conversation.history.navigateTo(body.event_id);
    return infos.ofLoaded(hosted, { includeSkills: query.include_skills, caller: callerOf(request) });
  });
}

type Tags = Readonly<Record<string, string>>;

/** Throws {@link ApiError} 403 for tags that would take a conversation out of the limits of the caller. */
function keepTags({ limits }: Caller, held: Tags, wanted: Tags): void {
  for (const [key, value] of Object.entries(limits?.tags ?? {}))
    if (held[key] === value && wanted[key] !== value)
      throw new ApiError(403, `The key in X-Session-API-Key is limited to conversations with the tag ${key}: keep it`);
}

/** Serves conversations as archives. */
export function serveTrajectory(
  app: FastifyInstance,
  host: ConversationHost,
  { downloadTrajectory }: Pick<typeof fileRoutes, 'downloadTrajectory'> = fileRoutes,
): void {
  serveRoute(app, downloadTrajectory, async ({ params, reply }) => {
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

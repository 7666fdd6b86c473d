import { fileRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { conversationNotFound, type ConversationHost } from '../hosting/conversation-host.ts';
import { serveRoute } from '../http/serve-route.ts';

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

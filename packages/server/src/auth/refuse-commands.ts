import { isCommand } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

/** Refuses every command with 403 and the reason, before any of its body is read. */
export function refuseCommands(app: FastifyInstance, reason: string): void {
  app.addHook('onRequest', async (request, reply) => {
    const { route } = request.routeOptions.config;
    return route && isCommand(route) ? reply.code(403).send({ detail: reason }) : undefined;
  });
}

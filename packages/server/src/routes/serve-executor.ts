import { Readable } from 'node:stream';

import type { JsonObject } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { isToolError, type Executor } from '@conv/core/tool';
import { executorRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { clientGone } from '../http/client-gone.ts';
import { GrowingAnswer } from '../http/growing-answer.ts';
import { serveRoute } from '../http/serve-route.ts';
import type { AllowedFolders } from '../workspace/allowed-folders.ts';
import { refusing } from './workspace-refusals.ts';

interface ExecutorDeps {
  readonly executor: Executor;
  readonly platform: Platform;
  readonly folders: AllowedFolders;
  /** Receives errors that are no refusals of a tool. */
  readonly report: (error: unknown) => void;
}

/** Serves the requests of the tools of conversations elsewhere. A client that goes away aborts its request. */
export function serveExecutor(app: FastifyInstance, { executor, platform, folders, report }: ExecutorDeps): void {
  const open = new Set<string>();
  let closing = false;
  serveRoute(app, executorRoutes.execute, ({ params, body, reply }) =>
    refusing(async () => {
      const signal = clientGone(reply);
      const workingDirectory = await folders.check(body.working_dir);
      open.add(params.session_id);
      const session = { conversationId: params.session_id, workingDirectory };
      const growing = new GrowingAnswer(platform);
      const onOutput = (text: string): void => growing.write(text);
      const rest = executor.execute(session, body.request, { signal, onOutput }).then(
        (given): JsonObject => ({ answer: given }),
        (error: unknown): JsonObject => {
          if (isToolError(error) && !closing) return { failure: error.message };
          if (!signal.aborted && !closing) report(error);
          const reason = closing ? 'The executor was stopped' : 'The executor failed';
          return { failure: `${reason} during this call, whose outcome is unknown. Check before repeating it.` };
        },
      );
      void reply.type('application/json; charset=utf-8');
      return Readable.from(growing.text(rest), { objectMode: false });
    }),
  );
  serveRoute(app, executorRoutes.end, async ({ params }) => {
    open.delete(params.session_id);
    await executor.end(params.session_id);
    return { success: true };
  });
  app.addHook('preClose', async () => {
    closing = true;
    await Promise.allSettled([...open].map((id) => executor.end(id)));
  });
}

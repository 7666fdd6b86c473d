import { z } from 'zod';
import { hookConfigSchema } from '../../descriptions/hook-config.ts';
import { defineRoute } from '../define-route.ts';
import { named } from '../../schema/named.ts';
import { answer, bodyOr, orNull, request } from '../../schema/objects.ts';

/** Routes of hooks. */
export const hookRoutes = {
  /** Reads the hooks that a project brings along. */
  get: defineRoute('Hooks', 'POST /api/hooks', 'get_hooks', 'Get the hooks of a project', {
    body: bodyOr({}, named('HooksRequest', request({ project_dir: orNull(z.string()) }))),
    answer: named('HooksResponse', answer({ hook_config: orNull(hookConfigSchema) })),
  }),
};

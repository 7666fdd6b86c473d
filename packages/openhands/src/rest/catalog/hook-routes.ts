import { z } from 'zod';
import { hookConfigSchema } from '../../descriptions/hook-config.ts';
import { defineRoute } from '../define-route.ts';
import { keptAs, orNull, requestAs } from '../../schema/index.ts';

/** Routes of hooks. */
export const hookRoutes = {
  /** Reads the hooks that a project brings along. */
  get: defineRoute('Hooks', 'POST /api/hooks', 'get_hooks', 'Get the hooks of a project', {
    scope: 'read',
    allConversations: true,
    body: requestAs('HooksRequest', { project_dir: orNull(z.string()) }),
    answer: keptAs('HooksResponse', { hook_config: orNull(hookConfigSchema) }),
  }),
};

import { z } from 'zod';
import { type HookConfig, hookConfigSchema } from '../../descriptions/hook-config.ts';
import { defineRoute } from '../define-route.ts';
import { named } from '../../schema/named.ts';
import { answer, bodyOr, orNull, request } from '../../schema/objects.ts';

/** Whose hooks. */
export interface HooksRequest {
  readonly project_dir: string | null;
}

/** The hooks of a project; null: it has none. */
export interface HooksResponse {
  readonly hook_config: HookConfig | null;
}

/** Routes of hooks. */
export const hookRoutes = {
  /** Reads the hooks that a project brings along. */
  get: defineRoute('Hooks', 'POST /api/hooks', 'get_hooks', 'Get the hooks of a project', {
    body: bodyOr({}, named('HooksRequest', request({ project_dir: orNull(z.string()) }))),
    answer: named('HooksResponse', answer({ hook_config: orNull(hookConfigSchema) })),
  }),
};

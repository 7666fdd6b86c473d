import { acts, type Effect } from '../effect.ts';
import { factory, keepRoutes, settings, start, starting } from './test-files.ts';

// Effects, and reasons of effects, that several parts have.

export const built: Effect = acts(
  factory,
  'agent_context, mcp_config, condenser, tools and usage_id of a stored agent are at work',
);
export const acted: Effect = acts(
  starting,
  'a start acts on the workspace, tags, policy, analyzer, limit and stuck detection of the request',
);
export const shown: Effect = acts(
  starting,
  'a start tells of every member of the protocol, of no secret, and of skills when asked',
);
export const madeOf: Effect = acts(settings, 'settings of policy and analyzer hold at once, and are told of');
export const folders: Effect = acts(keepRoutes, 'folders that clients work in are listed, added and removed');
export const hookKinds: Effect = acts(start, 'a request with hooks of %s is accepted');
export const noCritic: string = 'it is stored and returned, but no critic rates answers here';

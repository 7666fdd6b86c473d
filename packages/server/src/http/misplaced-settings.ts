import type { JsonObject } from '@conv/core';
import { ignoredMembers, type Route } from '@conv/openhands/rest';

const SETTINGS_ROUTE = 'POST /api/conversations/{conversation_id}/settings';

/** Settings that guard a conversation, each with the request that changes it. */
const CHANGED_BY: ReadonlyMap<string, string> = new Map([
  ['confirmation_policy', 'POST /api/conversations/{conversation_id}/confirmation_policy'],
  ['security_analyzer', 'POST /api/conversations/{conversation_id}/security_analyzer'],
  ['hook_config', 'POST /api/conversations, which starts a conversation'],
  ['max_iterations', SETTINGS_ROUTE],
  ['max_budget', SETTINGS_ROUTE],
  ['max_budget_per_run', SETTINGS_ROUTE],
  ['tool_timeout', SETTINGS_ROUTE],
  ['stuck_detection', SETTINGS_ROUTE],
]);

/**
 * Returns the details of a 422 about settings in a body that does not change them. Other unknown members pass, because clients of other
 * versions send them; these would leave a conversation less guarded than its user believes.
 */
export function misplacedSettings(route: Pick<Route, 'path' | 'body'>, body: unknown): readonly JsonObject[] {
  if (!route.body || !route.path.startsWith('/api/conversations/{conversation_id}')) return [];
  return ignoredMembers(route.body, body).flatMap((name) => {
    const place = CHANGED_BY.get(name);
    if (place === undefined) return [];
    const msg = `expected no ${name} here, because this request does not change it; send it with ${place}`;
    return [{ type: 'extra_forbidden', loc: ['body', name], msg }];
  });
}

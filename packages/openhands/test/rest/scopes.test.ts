import { expect, test } from 'vitest';

import { defineRoute } from '../../src/rest/define-route.ts';
import { bashRoutes, fileRoutes, gitRoutes, type Route, routes } from '../../src/rest/index.ts';

test('a route without a scope does not compile', () => {
  // @ts-expect-error a route names its scope
  const route = defineRoute('Any', 'GET /any', 'any', 'Any', { answer: 'empty' });
  expect(route.scope).toBeUndefined();
});

test('routes without a key and routes of sessions are the only routes that need no scope', () => {
  const open = routes.filter(({ scope }) => scope === 'none').map(({ operationId }) => operationId);
  expect(open.toSorted()).toEqual([
    'alive',
    'create_session',
    'create_workspace_session',
    'delete_session',
    'delete_workspace_session',
    'finish_mcp_login',
    'get_init_status',
    'get_server_info',
    'get_session',
    'health',
    'initialize_server',
    'ready',
  ]);
});

test('files, git and commands of the machine need the scope admin', () => {
  const tables = [bashRoutes, fileRoutes, gitRoutes].flatMap((table) => Object.values<Route>(table));
  const without = tables.filter(({ scope }) => ![scope].flat().includes('admin'));
  expect(without.map(({ operationId }) => operationId)).toEqual(['download_trajectory']);
});

test('a route that changes something needs more than the scope read', () => {
  const reads = routes.filter(({ method, scope }) => method !== 'GET' && scope === 'read');
  expect(reads.map(({ operationId }) => operationId).toSorted()).toEqual([
    'create_stream_ticket',
    'get_hooks',
    'get_plugins',
    'get_skills',
    'get_sub_agents',
  ]);
});

import { randomUUID } from 'node:crypto';

import type { JsonObject } from '@conv/core';
import { type Route, routes } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { says } from '../calls.ts';
import { eventsAt, TestFleet, type FleetMember } from './test-fleet.ts';

/** Bodies for each route that changes a conversation, which its owner has to look at. */
const bodies: Readonly<Record<string, unknown>> = {
  update_conversation: { title: 'Named' },
  delete_conversation: undefined,
  fork_conversation: {},
  navigate_conversation: { event_id: 'none' },
  run_conversation: {},
  pause_conversation: undefined,
  interrupt_conversation: undefined,
  condense_conversation: undefined,
  update_conversation_secrets: { secrets: { NAME: 'a value of some length' } },
  set_conversation_confirmation_policy: { policy: { kind: 'AlwaysConfirm' } },
  set_conversation_security_analyzer: { security_analyzer: null },
  switch_conversation_profile: { profile_name: 'none' },
  switch_conversation_llm: { llm: { model: 'says' } },
  switch_conversation_acp_model: { model: 'none' },
  load_conversation_plugin: { plugin_ref: 'none' },
  start_conversation_goal: { objective: 'Say yes.' },
  stop_conversation_goal: undefined,
  resume_conversation_goal: undefined,
  change_conversation_settings: { max_iterations: 7 },
  ask_agent: { question: 'Why?' },
  send_message: says('Hello.'),
  respond_to_confirmation: { accept: false },
  approve_actions: { action_ids: ['none'] },
  reject_actions: { action_ids: ['none'] },
  answer_call: { action_id: 'none' },
  start_child_conversation: { task: 'none' },
  reprovision_conversation_runtime: undefined,
};

/** Routes that change nothing of the conversation itself: a child begins at the server that is asked. */
const HERE: ReadonlySet<string> = new Set(['start_child_conversation', 'reprovision_conversation_runtime']);

/** Routes about one conversation that are served. */
async function served(member: FleetMember): Promise<readonly Route[]> {
  const { body } = await member.call<{ paths: Record<string, object> }>('GET', '/openapi.json');
  return routes.filter(
    ({ path, method }) =>
      path.includes('{conversation_id}') && method.toLowerCase() in ((body.paths[path] ?? {}) as JsonObject),
  );
}

function pathOf({ path }: Route, id: string, eventId: string): string {
  return path
    .replace('{conversation_id}', id)
    .replace('{event_id}', eventId)
    .replaceAll(/\{[^}]+\}/g, 'x')
    .replace(/\/stream$/, '/stream?follow=false');
}

test('every route about a conversation is answered by a server that does not own it', async () => {
  const fleet = await TestFleet.start();
  const owner = await fleet.join();
  const other = await fleet.join();
  const about = await served(other);
  expect(about.length).toBeGreaterThan(30);
  const withoutBody = about.filter(({ method, operationId }) => method !== 'GET' && !(operationId in bodies));
  expect(withoutBody.map(({ operationId }) => operationId)).toEqual([]);
  for (const route of about) {
    const id = await fleet.make(owner, 'says', { initial_message: says('First.', { run: false }) });
    const [event] = await eventsAt(owner, id);
    const before = other.forwarded.length;
    const path = pathOf(route, id, event?.id ?? '');
    const { status, body } = await other.call(route.method, path, bodies[route.operationId]);
    // what reads is read here, everything else is done by the owner
    const forwarded = route.method === 'GET' || HERE.has(route.operationId) ? [] : ['answered'];
    expect({
      route: `${route.method} ${route.path}`,
      forwarded: other.forwarded.slice(before),
      refused: JSON.stringify(body).includes('in use by') || status >= 500 ? { status, body } : false,
    }).toEqual({ route: `${route.method} ${route.path}`, forwarded, refused: false });
  }
  expect(owner.forwarded).toEqual([]);
});

test('the same request has the same answer at any server', async () => {
  const fleet = await TestFleet.start('sqlite');
  const owner = await fleet.join();
  const other = await fleet.join();
  const id = await fleet.make(owner);
  const asked: [string, string, unknown?][] = [
    ['POST', `/api/conversations/${id}/events`, { role: 'user', content: 'no list' }],
    ['POST', `/api/conversations/${id}/approve`, { action_ids: ['none'] }],
    ['POST', `/api/conversations/${id}/navigate`, { event_id: 'none' }],
    ['POST', `/api/conversations/${id}/goal/resume`],
    ['POST', `/api/conversations/${randomUUID()}/run`],
    ['GET', `/api/conversations/${id}/events/none`],
    ['PATCH', `/api/conversations/${id}`, { title: 'x'.repeat(300) }],
  ];
  for (const [method, path, body] of asked) {
    const [here, there] = [await owner.call(method, path, body), await other.call(method, path, body)];
    expect({ path, status: there.status, body: there.body }).toEqual({ path, status: here.status, body: here.body });
  }
});

import type { JsonObject } from '@conv/core';

/** A message as the wire has it. */
export function wireMessage(source: 'user' | 'agent', text: string): JsonObject {
  const role = source === 'user' ? 'user' : 'assistant';
  return { kind: 'MessageEvent', source, llm_message: { role, content: [{ type: 'text', text }] } };
}

/** A call as the wire has it. */
export function wireCall(tool: string, call: string, fields: JsonObject, thought = ''): JsonObject {
  return {
    kind: 'ActionEvent',
    source: 'agent',
    thought: thought === '' ? [] : [{ type: 'text', text: thought }],
    action: fields,
    tool_name: tool,
    tool_call_id: call,
    tool_call: { id: call, name: tool, arguments: JSON.stringify(fields), origin: 'completion' },
    llm_response_id: `response-${call}`,
  };
}

/** The result of a call as the wire has it. */
export function wireResult(tool: string, call: string, text: string, observation: JsonObject): JsonObject {
  return {
    kind: 'ObservationEvent',
    source: 'environment',
    tool_name: tool,
    tool_call_id: call,
    action_id: call,
    observation: { content: [{ type: 'text', text }], is_error: false, ...observation },
  };
}

import type { Event } from '@conv/core/events';
import { Log } from './log.ts';

const before =
  'import { test } from "vitest";\n\nexport function greet(name) {\n  return "Hello " + name;\n}\n\nexport const x = 1;\n';
const after = before.replace('"Hello " + name', '`Hello ${name}!`');

/** A turn with one of everything that has its own look. */
export function scene(): Event[] {
  return new Log()
    .user('Make the greeting friendlier and run the tests.', { sender: 'alice' })
    .after(2100)
    .call(
      'file_editor',
      'c1',
      {
        command: 'str_replace',
        path: 'src/greet.js',
        old_str: '  return "Hello " + name;',
        new_str: '  return `Hello ${name}!`;',
        kind: 'FileEditorAction',
      },
      {
        thought: [{ text: 'A template literal reads better here.' }],
        reasoning_content: 'Small change.',
        summary: 'use a template literal',
      },
    )
    .after(8)
    .result('file_editor', 'c1', 'edited', {
      command: 'str_replace',
      path: 'src/greet.js',
      old_content: before,
      new_content: after,
      kind: 'FileEditorObservation',
    })
    .after(900)
    .call('task_tracker', 'c2', {
      command: 'plan',
      task_list: [
        { title: 'Change the greeting', status: 'done' },
        { title: 'Run the tests', status: 'in_progress', notes: 'node 22 and 24' },
        { title: 'Say what changed', status: 'todo' },
      ],
      kind: 'TaskTrackerAction',
    })
    .result('task_tracker', 'c2', 'Task list updated.', { command: 'plan', kind: 'TaskTrackerObservation' })
    .after(1200)
    .shell('c3', 'npm test -- --reporter=dot', { security_risk: 'MEDIUM' })
    .call('search_docs', 'c4', { data: { query: 'vitest reporters', limit: 3 }, kind: 'MCPToolAction' })
    .after(3400)
    .printed('c3', Array.from({ length: 30 }, (_, index) => `test ${index + 1} ok`).join('\n'), 1)
    .result('search_docs', 'c4', '日本語のドキュメント 📚 reporters: dot, tap, json', {
      tool_name: 'search_docs',
      kind: 'MCPToolObservation',
    })
    .after(500)
    .shell('c5', 'rm -rf build', { security_risk: 'HIGH' })
    .after(4000)
    .add('UserRejectObservation', 'environment', {
      tool_name: 'terminal',
      tool_call_id: 'c5',
      action_id: 'x',
      rejection_reason: 'keep the build',
    })
    .after(300)
    .call('termnal', 'c6', null)
    .add('AgentErrorEvent', 'agent', {
      tool_name: 'termnal',
      tool_call_id: 'c6',
      error: "Tool 'termnal' not found.",
      classification: { kind: 'agent_action', retryable: true, user_action: 'retry' },
    })
    .add('HookExecutionEvent', 'hook', {
      hook_event_type: 'PreToolUse',
      hook_command: 'check.sh',
      success: true,
      blocked: true,
      exit_code: 2,
      reason: 'no network',
    })
    .add('Condensation', 'environment', {
      forgotten_event_ids: ['a', 'b', 'c'],
      summary: 'The greeting was changed.',
      llm_response_id: 'r',
    })
    .add('WeatherEvent', 'environment', { sky: 'grey' })
    .after(700)
    .call('finish', 'c7', {
      message: 'The greeting is friendlier now.\n\n- changed `src/greet.js`\n- one test still fails',
      kind: 'FinishAction',
    })
    .result('finish', 'c7', 'The greeting is friendlier now.', { kind: 'FinishObservation' }).events;
}

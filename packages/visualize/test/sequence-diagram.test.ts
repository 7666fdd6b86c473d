import { expect, test } from 'vitest';
import { sequenceDiagram } from '../src/index.ts';
import { fixture, fixtureIds, Log } from './log.ts';
import { diagramType } from './mermaid.ts';
import { scene } from './scene.ts';

test('a turn is drawn as messages between user, agent and tools, with the time long calls took', async () => {
  const diagram = sequenceDiagram(scene());
  expect(diagram).toMatchInlineSnapshot(`
    "sequenceDiagram
      actor user as User
      participant agent as Agent
      participant tool1 as file#95;editor
      participant tool2 as task#95;tracker
      participant tool3 as terminal
      participant tool4 as search#95;docs
      participant tool5 as termnal
      user->>agent: Make the greeting friendlier and run the tests.
      agent->>tool1: edit src/greet.js
      tool1-->>agent: edited
      agent->>tool2: task#95;tracker
      tool2-->>agent: Task list updated.
      agent->>tool3: #36; npm test -- --reporter=dot
      agent->>tool4: vitest reporters
      tool3--xagent: exit 1
      Note right of tool3: 3.4 s
      tool4-->>agent: 日本語のドキュメント 📚 reporters#58; dot, tap, json
      Note right of tool4: 3.4 s
      agent->>tool3: #36; rm -rf build
      user--xagent: terminal rejected by user#58; keep the build
      agent->>tool5: invalid call
      tool5--xagent: error#58; Tool 'termnal' not found.
      Note over agent: hook PreToolUse, blocked
      Note over agent: condensed, 3 events left out
      Note over agent: WeatherEvent
      agent->>user: The greeting is friendlier now.
    "
  `);
  expect(await diagramType(diagram)).toBe('sequence');
});

test('conversations of the Python reference are drawn as valid Mermaid', async () => {
  for (const id of fixtureIds()) expect(await diagramType(sequenceDiagram(fixture(id)))).toBe('sequence');
  expect(sequenceDiagram(fixture('328be85a2bfd49359351927befc80879'))).toMatchInlineSnapshot(`
    "sequenceDiagram
      actor user as User
      participant agent as Agent
      participant tool1 as file#95;editor
      user->>agent: SCRIPT #91;#123;#34;content#34;#58; #34;x#34;, #34;tool#95;calls#34;#58; #91;#123;#34;name#34;#58; #34;file#95;edit…
      agent->>tool1: view /tmp
      user--xagent: file#95;editor rejected by user#58; no way
      agent->>user: bye
      user->>agent: SCRIPT #91;#123;#34;content#34;#58; #34;x#34;, #34;tool#95;calls#34;#58; #91;#123;#34;name#34;#58; #34;file#95;edit…
      agent->>tool1: view /tmp
      tool1-->>agent: Here's the files and directories up to 2 levels deep in /tm…
      Note right of tool1: 1.0 s
      agent->>user: bye
    "
  `);
});

test('a log without events is a diagram too', async () => {
  expect(await diagramType(sequenceDiagram([]))).toBe('sequence');
});

test('a long run keeps its first and last steps and says how many are between', async () => {
  const log = new Log().user('count');
  for (let index = 0; index < 500; index += 1) log.shell(`c${index}`, `echo ${index}`).printed(`c${index}`, '');
  const diagram = sequenceDiagram(log.events, { limit: 7 });
  expect(diagram).toMatchInlineSnapshot(`
    "sequenceDiagram
      actor user as User
      participant agent as Agent
      participant tool1 as terminal
      user->>agent: count
      agent->>tool1: #36; echo 0
      tool1-->>agent: exit 0
      agent->>tool1: #36; echo 1
      Note over user,agent: … 995 more steps …
      agent->>tool1: #36; echo 499
      tool1-->>agent: exit 0
    "
  `);
  expect(await diagramType(diagram)).toBe('sequence');
});

test('tools of shown steps are the only participants', () => {
  const log = new Log().user('go');
  for (let index = 0; index < 30; index += 1) log.call(`tool-${index}`, `c${index}`, { kind: 'X' });
  const participants = sequenceDiagram(log.events, { limit: 5 }).match(/participant tool/g);
  expect(participants).toHaveLength(3);
});

test('the time a call took is noted from the given one on', () => {
  const { events } = new Log().shell('c1', 'sleep 2').after(2000).printed('c1', '').agent('ok');
  expect(sequenceDiagram(events)).toContain('Note right of tool1: 2.0 s');
  expect(sequenceDiagram(events, { noteFrom: 3000 })).not.toContain('Note right');
});

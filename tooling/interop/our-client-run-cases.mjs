import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { message, MODEL_KEY } from './model.mjs';
import { compareVersions } from './releases.mjs';
import { KEY } from './servers.mjs';
import { withKey } from './with-key.mjs';
import {
  WAITS,
  terminal,
  failsWith,
  kindsOf,
  textsOf,
  run,
  startRun,
  idsOf,
  sameAsRest,
  everyCallAnswered,
  eventually,
} from './our-client-checks.mjs';

/** Cases of runs, and of what ends clients and servers, by name. Each has a place of its own: `our-client.mjs`. */
export const RUN_CASES = {
  async server({ workspace, complete, server }) {
    // alive() waits 5 seconds, and a server that has just been started on a busy machine may need more for its first answer
    await eventually('an answer of the server', () => workspace.alive());
    const { version, capabilities } = await workspace.serverInfo();
    assert.equal(version, server.version);
    assert.equal(capabilities.has('commits_v1'), complete);
  },

  async 'wrong-key'({ workspaceWith, conversation }) {
    const other = workspaceWith('not-the-key');
    assert.equal(await other.alive(), true);
    await assert.rejects(conversation({ workspace: other }), failsWith('DENIED'));
    await assert.rejects(other.executeCommand('echo in'), failsWith('DENIED'));
  },

  async create({ conversation, rest, folder }) {
    const id = crypto.randomUUID();
    const made = await conversation({ id, maxIterations: 7, title: 'A title', create: 'must' });
    assert.equal(made.id, id);
    assert.equal(made.state.executionStatus, 'idle');
    assert.equal(made.state.maxIterations, 7);
    assert.equal(made.state.title, 'A title');
    assert.equal(made.state.agent.llm.model, 'openai/scripted');
    assert.equal(made.state.workspace.workingDir, folder);
    const { body } = await rest(`/api/conversations/${id}`);
    assert.ok(!JSON.stringify(body).includes(MODEL_KEY), 'the key of the model was told');
    await assert.rejects(conversation({ id, create: 'must' }), failsWith('EXISTS'));
    await assert.rejects(conversation({ id: crypto.randomUUID(), create: 'never' }), failsWith('NOT_FOUND'));
  },

  async 'send-and-run'({ conversation, folder }) {
    const made = await conversation();
    assert.equal(
      await run(made, message(terminal('echo $((6*7)) > answer; cat answer'), { say: 'It is 42.' })),
      'finished',
    );
    // OpenHands' server keeps what it publishes of its state in the log.
    const events = (await made.events.slice()).filter(({ kind }) => kind !== 'ConversationStateUpdateEvent');
    const expected = ['SystemPromptEvent', 'MessageEvent', 'ActionEvent', 'ObservationEvent', 'MessageEvent'];
    assert.deepEqual(kindsOf(events), expected);
    assert.equal(textsOf(events)[0].split('\n')[0].trim(), '42');
    assert.equal(await readFile(join(folder, 'answer'), 'utf8'), '42\n');
  },

  async callbacks({ conversation }) {
    const told = [];
    const made = await conversation({
      subscribers: [{ onEvent: (event, index) => void told.push([index, event.id]) }],
    });
    await run(made, message(terminal('echo one'), terminal('echo two'), { say: 'Both.' }));
    const ids = (await made.events.slice()).map(({ id }, index) => [index, id]);
    assert.deepEqual(told, ids.slice(told[0][0]));
    assert.ok(told.length >= 6, `${told.length} events were told`);
  },

  async 'events-equal-rest'({ conversation, rest }) {
    const made = await conversation();
    await run(made, message(terminal('echo one'), terminal('false'), { say: 'Ünïcode 🙂' }));
    await run(made, 'And then?');
    await sameAsRest(made, rest);
  },

  async attach({ conversation, rest }) {
    const first = await conversation();
    await run(first, message(terminal('echo one')));
    const second = await conversation({ id: first.id, create: 'never', agent: undefined });
    assert.deepEqual(await idsOf(second), await idsOf(first));
    assert.equal(await run(second, 'From the second.'), 'finished');
    await eventually('the events of the second at the first', () => first.events.length === second.events.length);
    await sameAsRest(first, rest);
  },

  async confirm({ conversation, folder }) {
    const made = await conversation({ confirmationPolicy: { kind: 'AlwaysConfirm' } });
    assert.equal(await run(made, message(terminal('touch done'))), 'waiting_for_confirmation');
    assert.equal(made.state.pendingActions.length, 1);
    assert.ok(!existsSync(join(folder, 'done')), 'it was executed without being confirmed');
    await made.approve();
    assert.equal(await run(made), 'finished');
    assert.ok(existsSync(join(folder, 'done')), 'it was not executed');
  },

  async 'confirm-some'({ conversation, folder, complete }) {
    const made = await conversation({ confirmationPolicy: { kind: 'AlwaysConfirm' } });
    const both = { calls: [terminal('touch first'), terminal('touch second')] };
    assert.equal(await run(made, message(both)), 'waiting_for_confirmation');
    const [first, second] = made.state.pendingActions.map(({ id }) => id);
    if (!complete) {
      await assert.rejects(made.approve([first]), failsWith('UNSUPPORTED'));
      await assert.rejects(made.reject([second]), failsWith('UNSUPPORTED'));
      assert.ok(!existsSync(join(folder, 'first')), 'it was executed');
      return;
    }
    await made.approve([first]);
    await made.reject([second], 'one is enough');
    assert.equal(await run(made), 'finished');
    assert.deepEqual([existsSync(join(folder, 'first')), existsSync(join(folder, 'second'))], [true, false]);
  },

  async reject({ conversation, folder }) {
    const made = await conversation();
    await made.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    assert.equal(await run(made, message(terminal('touch done'))), 'waiting_for_confirmation');
    await made.reject(undefined, 'far too dangerous');
    assert.equal(await run(made), 'finished');
    assert.match(await made.finalResponse(), /far too dangerous/);
    assert.ok(!existsSync(join(folder, 'done')), 'it was executed');
  },

  async analyzer({ conversation, folder }) {
    const made = await conversation({ securityAnalyzer: { kind: 'LLMSecurityAnalyzer' } });
    await made.settings.setConfirmationPolicy({ kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true });
    const steps = ['LOW', 'HIGH'].map((risk) => terminal(`touch ${risk}`, { security_risk: risk }));
    assert.equal(await run(made, message(...steps)), 'waiting_for_confirmation');
    assert.equal(made.state.isConfirmationModeActive, true);
    assert.deepEqual([existsSync(join(folder, 'LOW')), existsSync(join(folder, 'HIGH'))], [true, false]);
    await made.settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
    await made.settings.setSecurityAnalyzer(null);
    assert.equal(await run(made), 'finished');
    assert.ok(existsSync(join(folder, 'HIGH')), 'it was not executed');
  },

  async pause({ conversation, folder, complete, rest }) {
    const made = await conversation();
    await made.sendMessage(message(terminal(WAITS), terminal('touch second'), { say: 'Both.' }));
    const running = startRun(made);
    await eventually('the first command', () => existsSync(join(folder, 'started')));
    const pausing = made.pause();
    // OpenHands' server keeps the request waiting for the command; in a second it has arrived.
    await (complete ? pausing : setTimeout(1000));
    await writeFile(join(folder, 'go'), '');
    await pausing;
    assert.equal((await running).status, 'paused');
    assert.ok(!existsSync(join(folder, 'second')), 'it went on');
    assert.equal(await run(made), 'finished');
    assert.ok(existsSync(join(folder, 'second')), 'it did not go on');
    await sameAsRest(made, rest);
  },

  async interrupt({ conversation, folder, rest }) {
    const made = await conversation();
    await made.sendMessage(message(terminal('touch started; sleep 600')));
    const running = startRun(made);
    await eventually('the command', () => existsSync(join(folder, 'started')));
    await made.interrupt();
    assert.equal((await running).status, 'paused');
    assert.equal(await run(made, 'Go on.'), 'finished');
    await everyCallAnswered(made);
    await sameAsRest(made, rest);
  },

  async 'model-error'({ conversation }) {
    const made = await conversation();
    const running = run(made, message({ fail: 400 }));
    await assert.rejects(running, failsWith('RUN_FAILED'));
    await assert.rejects(running, /told to fail/);
    assert.equal(made.state.executionStatus, 'error');
    assert.equal(await run(made, 'And now?'), 'finished');
  },

  async close({ conversation, rest }) {
    const made = await conversation();
    await run(made, 'One.');
    const before = await idsOf(made);
    await made.close();
    assert.equal((await rest(`/api/conversations/${made.id}`)).status, 200);
    const again = await conversation({ id: made.id, create: 'never', agent: undefined });
    assert.deepEqual(await idsOf(again), before);
  },

  async delete({ conversation, rest }) {
    const made = await conversation();
    await run(made, 'One.');
    assert.equal((await rest(`/api/conversations/${made.id}`, { method: 'DELETE' })).status, 200);
    assert.equal((await rest(`/api/conversations/${made.id}`)).status, 404);
    await assert.rejects(made.sendMessage('Two.'), failsWith('NOT_FOUND'));
    await assert.rejects(conversation({ id: made.id, create: 'never' }), failsWith('NOT_FOUND'));
  },

  async reconnect({ conversation, server, folder, rest, complete }) {
    const told = [];
    const made = await conversation({ subscribers: [{ onEvent: ({ id }) => void told.push(id) }] });
    await run(made, 'One.');
    const { id: asked } = await made.sendMessage(message(terminal('touch started; sleep 600')));
    await made.run({ blocking: false });
    await eventually('the command', () => existsSync(join(folder, 'started')));
    await server.restart();
    await eventually('the end of that run', () => made.state.executionStatus !== 'running');
    await everyCallAnswered(made);
    // OpenHands' server puts the result on a branch without its call, which no model takes.
    if (!complete) await made.history.navigateTo(asked);
    assert.equal(await run(made, 'Go on.'), 'finished');
    const ids = await idsOf(made);
    assert.deepEqual(told, ids.slice(ids.length - told.length));
    await sameAsRest(made, rest);
  },

  async 'catch-up'({ conversation, complete, server, workspaceWith, rest }) {
    const front = await withKey(server.url, KEY);
    try {
      const told = [];
      const subscribers = [{ onEvent: ({ id }) => void told.push(id) }];
      const made = await conversation({ workspace: workspaceWith(KEY, front.url), subscribers });
      const other = await conversation({ id: made.id, create: 'never', agent: undefined });
      await run(other, 'One.');
      await eventually('the events of that run', () => made.events.length === other.events.length);
      const before = front.asked.length;
      assert.equal(front.cut(), 1, 'it has one socket');
      for (let count = 0; count < 12; count++) await other.sendMessage(`Message ${count}.`);
      front.mend();
      await eventually('the messages', () => made.events.length === other.events.length);
      await run(other, 'Two.');
      await eventually('the end', () => made.events.length === other.events.length);
      const ids = await idsOf(made);
      assert.deepEqual(told, ids.slice(ids.length - told.length));
      const asked = front.asked.slice(before);
      const pages = asked.filter((each) => /events\/search/.test(each)).length;
      const numbers = complete || compareVersions(server.version, '1.45.0') >= 0;
      assert.ok(numbers ? pages === 0 : pages > 0, `pages were read: ${asked.join(', ')}`);
      await sameAsRest(made, rest);
    } finally {
      await front.close();
    }
  },

  async 'killed-while-running'({ conversation, server, folder, rest, complete }) {
    const made = await conversation();
    await made.sendMessage(message(terminal('touch started; sleep 600')));
    await made.run({ blocking: false });
    await eventually('the command', () => existsSync(join(folder, 'started')));
    await made.close();
    await server.restart();
    const other = await conversation({ id: made.id, create: 'never', agent: undefined });
    // Our server goes on with the run by itself; OpenHands' leaves it at rest.
    if (complete) await eventually('the end of that run', () => other.state.executionStatus !== 'running');
    assert.notEqual(other.state.executionStatus, 'running');
    assert.equal(await run(other, 'Go on.'), 'finished');
    await everyCallAnswered(other);
    await sameAsRest(other, rest);
  },
};

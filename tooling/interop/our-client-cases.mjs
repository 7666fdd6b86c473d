import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { message, MODEL_KEY } from './model.mjs';

const SECRET = 'correct-horse-battery';
/** What a case waits for comes within milliseconds; busy machines take their time. */
const PATIENCE = 60_000;
const WAITS = 'touch started; until [ -e go ]; do sleep 0.05; done';

const terminal = (command, more) => ({ tool: 'terminal', arguments: { command, ...more } });
const failsWith = (code) => (error) => error.code === code || assert.fail(`expected ${code}, found ${error}`);
const kindsOf = (events) => events.map(({ kind }) => kind);
const textsOf = (events) => events.filter(({ kind }) => kind === 'ObservationEvent').map(observedText);
const observedText = ({ observation }) => observation.content.map(({ text }) => text).join('');

/** The cases with our client, by name. Each has a place of its own: `our-client.mjs`. */
export const CASES = {
  async server({ workspace, complete }) {
    assert.equal(await workspace.alive(), true);
    const { version, capabilities } = await workspace.serverInfo();
    assert.equal(version, '1.43.1');
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

  async fork({ conversation, rest, llm, complete }) {
    const made = await conversation();
    await run(made, 'One.');
    const before = await idsOf(made);
    const id = await made.history.fork({ title: 'Another', tags: { of: 'fork' } });
    const other = await conversation({ id, create: 'never', agent: undefined });
    assert.deepEqual(await idsOf(other), before);
    assert.equal(other.state.tags.of, 'fork');
    if (!complete) await other.settings.setModel(llm('agent-2'));
    assert.equal(await run(other, 'Two.'), 'finished');
    const { body } = await rest(`/api/conversations/${id}`);
    assert.equal(body.title, 'Another');
    assert.deepEqual(await idsOf(made), before);
  },

  async 'fork-from-event'({ conversation, llm, complete }) {
    const made = await conversation();
    await run(made, 'One.');
    const at = await made.events.idAt(-1);
    await run(made, 'Two.');
    const id = await made.history.fork({ from: at });
    const other = await conversation({ id, create: 'never', agent: undefined });
    assert.equal(await other.events.idAt(-1), at);
    if (!complete) await other.settings.setModel(llm('agent-2'));
    assert.equal(await run(other, 'Three.'), 'finished');
    await assert.rejects(made.history.fork({ from: crypto.randomUUID() }), failsWith('UNKNOWN_EVENT'));
  },

  async navigate({ conversation }) {
    const made = await conversation();
    await run(made, 'One.');
    const at = await made.events.idAt(-1);
    await run(made, 'Two.');
    await made.history.navigateTo(at);
    assert.equal(made.state.leafEventId, at);
    assert.equal(await run(made, 'Three.'), 'finished');
    const branch = JSON.stringify(await made.events.branch());
    assert.ok(branch.includes('Three.') && !branch.includes('Two.'), 'the branch is another');
  },

  async ask({ conversation }) {
    const made = await conversation();
    await run(made, message(terminal('echo one')));
    const before = await made.events.slice();
    const { text } = await made.askAgent('What did you do, exactly?');
    assert.match(text, /What did you do, exactly\?/);
    assert.deepEqual(await made.events.slice(), before);
    assert.equal(made.state.executionStatus, 'finished');
  },

  async 'ask-during-run'({ conversation, folder, complete }) {
    const made = await conversation();
    await made.sendMessage(message(terminal(WAITS)));
    const running = startRun(made);
    await eventually('the command', () => existsSync(join(folder, 'started')));
    const asking = made.askAgent('Are you still there?');
    if (complete) assert.match((await asking).text, /still there\?/);
    else await assert.rejects(asking, failsWith('SERVER_FAILED'));
    await writeFile(join(folder, 'go'), '');
    assert.equal((await running).status, 'finished');
  },

  async condense({ conversation, agent, llm, rest }) {
    const condenser = { kind: 'LLMSummarizingCondenser', llm: llm('condenser'), max_size: 100, keep_first: 1 };
    const made = await conversation({ agent: agent({ condenser }) });
    for (const number of [1, 2, 3, 4]) await run(made, `Message ${number}.`);
    await made.history.condense();
    await eventually('a condensation', async () => kindsOf(await made.events.slice()).includes('Condensation'));
    assert.equal(await run(made, 'And now?'), 'finished');
    await sameAsRest(made, rest);
  },

  async secrets({ conversation, rest }) {
    const told = [];
    const subscribers = [{ onEvent: (event) => void told.push(event) }];
    const made = await conversation({ secrets: { FIRST: SECRET }, subscribers });
    await made.settings.updateSecrets({ SECOND: { value: `${SECRET}-2`, description: 'another' } });
    assert.deepEqual(made.settings.secrets.map(({ name }) => name).toSorted(), ['FIRST', 'SECOND']);
    const command = 'echo $FIRST $SECOND; echo ${#FIRST} ${#SECOND}';
    assert.equal(await run(made, message(terminal(command))), 'finished');
    const events = await made.events.slice();
    assert.match(textsOf(events)[0], new RegExp(`${SECRET.length} ${SECRET.length + 2}`));
    const { body } = await rest(`/api/conversations/${made.id}`);
    const everything = JSON.stringify([told, events, made.state.agent, body]);
    assert.ok(!everything.includes(SECRET), 'the value was told');
    assert.ok(!everything.includes(MODEL_KEY), 'the key of the model was told');
  },

  async title({ conversation, rest }) {
    const made = await conversation();
    await run(made, 'Tell me about the moon.');
    const title = await made.settings.generateTitle({ maxLength: 30 });
    assert.ok(title.length > 0 && title.length <= 30, title);
    assert.equal((await rest(`/api/conversations/${made.id}`)).body.title, title);
    await made.settings.setTitle('The moon');
    assert.equal((await rest(`/api/conversations/${made.id}`)).body.title, 'The moon');
    assert.equal(made.state.title, 'The moon');
  },

  async tags({ conversation, rest }) {
    const made = await conversation({ tags: { team: 'blue' } });
    await made.settings.setTags({ team: 'red', size: 'small' });
    assert.deepEqual({ ...made.state.tags }, { team: 'red', size: 'small' });
    assert.deepEqual((await rest(`/api/conversations/${made.id}`)).body.tags, { team: 'red', size: 'small' });
  },

  async stats({ conversation }) {
    const made = await conversation();
    await run(made, 'One.');
    await eventually('tokens', () => Object.values(made.state.stats).some(({ promptTokens }) => promptTokens > 0));
  },

  async 'final-response'({ conversation }) {
    const made = await conversation();
    await run(made, message({ tool: 'finish', arguments: { message: 'All of it is done.' } }));
    assert.equal(await made.finalResponse(), 'All of it is done.');
  },

  async 'client-tools'({ conversation, complete }) {
    const parameters = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] };
    const paint = { name: 'paint', description: 'Paints the client.', parameters };
    const painting = message({ tool: 'paint', arguments: { color: 'blue' } });
    const made = await conversation({ clientTools: [paint] });
    assert.equal(await run(made, painting), 'finished');
    const action = (await made.events.slice()).find(({ kind }) => kind === 'ActionEvent');
    assert.deepEqual([action.tool_name, action.action.color], ['paint', 'blue']);
    const answering = conversation({ clientTools: [{ ...paint, answers: 'caller' }] });
    if (!complete) return await assert.rejects(answering, failsWith('UNSUPPORTED'));
    const caller = await answering;
    caller.subscribe(({ kind, id }) => {
      if (kind === 'ActionEvent') void caller.answerCall(id, { content: 'It is blue now.' });
    });
    assert.equal(await run(caller, painting), 'finished');
    assert.match(await caller.finalResponse(), /It is blue now/);
  },

  async hooks({ conversation, folder }) {
    const hook = { type: 'command', command: "echo 'not in this house' >&2; exit 2" };
    const made = await conversation({ hooks: { pre_tool_use: [{ matcher: 'terminal', hooks: [hook] }] } });
    assert.equal(await run(made, message(terminal('touch done'))), 'finished');
    assert.ok(!existsSync(join(folder, 'done')), 'it was executed');
    assert.match(await made.finalResponse(), /not in this house/);
  },

  async limits({ conversation, complete }) {
    const made = await conversation();
    const setting = made.settings.setLimits({ maxIterations: 2 });
    if (!complete) return await assert.rejects(setting, failsWith('UNSUPPORTED'));
    await setting;
    assert.equal(made.state.maxIterations, 2);
    const steps = [1, 2, 3].map((number) => terminal(`echo ${number}`));
    assert.deepEqual(await outcomeOf(made, message(...steps)), { status: 'error', iterations: 2 });
  },

  async 'time-travel'({ conversation, complete }) {
    const made = await conversation();
    await run(made, 'One.');
    if (!complete) return await assert.rejects(made.history.at(1), failsWith('UNSUPPORTED'));
    const { state } = await made.history.at(1);
    assert.deepEqual([state.executionStatus, made.state.executionStatus], ['idle', 'finished']);
  },

  async 'switch-model'({ conversation, llm }) {
    const made = await conversation();
    await run(made, 'One.');
    await made.settings.setModel({ ...llm('agent-2'), model: 'openai/scripted-2' });
    assert.equal(await run(made, 'Two.'), 'finished');
    assert.equal(made.state.agent.llm.model, 'openai/scripted-2');
  },

  async files({ workspace, folder }) {
    const content = Uint8Array.from({ length: 256_000 }, (_, index) => index % 256);
    const path = join(folder, 'in a folder', 'on server ü');
    await workspace.upload(path, content);
    assert.deepEqual(new Uint8Array(await readFile(path)), content);
    assert.deepEqual(new Uint8Array(await workspace.download(path)), content);
    await assert.rejects(workspace.download(join(folder, 'nothing')), failsWith('NOT_FOUND'));
  },

  async git({ workspace, folder }) {
    const identity = '-c user.name=a -c user.email=a@b.c';
    const make = `git init -q -b main . && echo one > file && git add . && git ${identity} commit -q -m one`;
    assert.equal((await workspace.executeCommand(`${make} && echo two > file && echo new > other`)).exitCode, 0);
    const changes = (await workspace.gitChanges()).map(({ status, path }) => `${status} ${path}`);
    assert.deepEqual(changes.toSorted(), ['ADDED other', 'UPDATED file']);
    const { original, modified } = await workspace.gitDiff(join(folder, 'file'));
    assert.deepEqual([original.trim(), modified.trim()], ['one', 'two']);
  },

  async bash({ workspace, folder }) {
    const result = await workspace.executeCommand('pwd; echo out; echo err >&2; exit 3');
    assert.deepEqual(result, { exitCode: 3, stdout: `${folder}\nout\n`, stderr: 'err\n' });
    const many = await workspace.executeCommand('seq 1 20000', { cwd: '/' });
    assert.equal(many.stdout.trim().split('\n').length, 20_000);
    assert.notEqual((await workspace.executeCommand('sleep 60', { timeout: 1000 })).exitCode, 0);
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

  async 'killed-while-running'({ conversation, server, folder, rest }) {
    const made = await conversation();
    await made.sendMessage(message(terminal('touch started; sleep 600')));
    await made.run({ blocking: false });
    await eventually('the command', () => existsSync(join(folder, 'started')));
    await made.close();
    await server.restart();
    const other = await conversation({ id: made.id, create: 'never', agent: undefined });
    assert.notEqual(other.state.executionStatus, 'running');
    assert.equal(await run(other, 'Go on.'), 'finished');
    await everyCallAnswered(other);
    await sameAsRest(other, rest);
  },
};

/** Sends, runs to the end of the run; how that ended. */
async function run(conversation, text) {
  return (await outcomeOf(conversation, text)).status;
}

async function outcomeOf(conversation, text) {
  if (text !== undefined) await conversation.sendMessage(text);
  return conversation.run({ timeout: PATIENCE });
}

/** A run that is waited for later, or never when the case has failed before. */
function startRun(conversation) {
  const running = conversation.run({ timeout: PATIENCE });
  running.catch(() => {});
  return running;
}

async function idsOf(conversation) {
  return (await conversation.events.slice()).map(({ id }) => id);
}

/** The client's events are those that the server tells past it. */
async function sameAsRest(conversation, rest) {
  const stored = [];
  let page = '';
  do {
    const { body } = await rest(`/api/conversations/${conversation.id}/events/search?limit=3${page}`);
    stored.push(...body.items);
    page = body.next_page_id ? `&page_id=${encodeURIComponent(body.next_page_id)}` : '';
  } while (page !== '');
  assert.deepEqual(await conversation.events.slice(), stored);
}

async function everyCallAnswered(conversation) {
  const events = await conversation.events.slice();
  for (const { kind, tool_call_id: call } of events)
    if (kind === 'ActionEvent')
      assert.equal(events.filter((event) => event.tool_call_id === call).length, 2, 'a call has not one result');
}

async function eventually(what, holds) {
  const deadline = Date.now() + PATIENCE;
  while (!(await holds())) {
    if (Date.now() > deadline) assert.fail(`never came: ${what}`);
    await setTimeout(20);
  }
}

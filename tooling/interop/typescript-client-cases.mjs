import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { message, MODEL_KEY } from './model.mjs';

const SECRET = 'correct-horse-battery';
/** Most milliseconds that a case waits: the awaited thing comes within milliseconds, but busy machines take longer. */
const TIMEOUT = 60_000;

const terminal = (command, more) => ({ tool: 'terminal', arguments: { command, ...more } });
const idsOf = (events) => events.map(({ id }) => id);
const kindsOf = (events) => events.map(({ kind }) => kind);
const failsWith = (status) => (error) => error.status === status || assert.fail(`expected ${status}, found ${error}`);

/** The cases with OpenHands' TypeScript client, by name. Each has a place of its own: `typescript-client.mjs`. */
export const CASES = {
  async server({ manager, server }) {
    assert.equal((await manager.server.getServerInfo()).version, server.version);
    assert.ok((await manager.tools.listTools()).includes('terminal'));
  },

  async 'wrong-key'({ conversation, workspaceWith }) {
    const workspace = workspaceWith('not-the-key');
    await assert.rejects(conversation({ workspace }), failsWith(401));
    await assert.rejects(workspace.executeCommand('echo in'), failsWith(401));
  },

  async create({ conversation, manager, folder }) {
    const made = await conversation({ start: { initialMessage: 'Hello.', maxIterations: 7 } });
    const info = await manager.getConversation(made.id);
    assert.equal(info.max_iterations, 7);
    assert.equal(info.workspace.working_dir, folder);
    assert.equal((await made.state.getAgent()).llm.model, 'openai/scripted');
    assert.ok((await made.state.getPersistenceDir()).length > 0);
    assert.ok(!JSON.stringify(info).includes(MODEL_KEY), 'the key of the model was told');
    const { items } = await manager.searchConversations({ limit: 100 });
    assert.ok(idsOf(items).includes(made.id));
  },

  async 'send-and-run'(place) {
    const made = await place.conversation();
    const status = await run(
      place,
      made,
      message(terminal('echo $((6*7)) > answer; cat answer'), { say: 'It is 42.' }),
    );
    assert.equal(status, 'finished');
    const events = await stored(made);
    const expected = ['SystemPromptEvent', 'MessageEvent', 'ActionEvent', 'ObservationEvent', 'MessageEvent'];
    assert.deepEqual(kindsOf(events), expected);
    assert.equal(await readFile(join(place.folder, 'answer'), 'utf8'), '42\n');
  },

  async socket(place) {
    const made = await place.conversation();
    await eventually('the first frame', () => made.told.length > 0);
    await run(place, made, message(terminal('echo one'), { say: 'One.' }));
    const ids = idsOf(await stored(made)).slice(1);
    await eventually('all events', () => ids.every((id) => made.told.some((event) => event.id === id)));
    assert.deepEqual(idsOf(made.told.filter(({ id }) => ids.includes(id))), ids);
    const last = made.told.findLast(({ key }) => key === 'full_state');
    await eventually(
      'the last state',
      () => made.told.at(-1).value?.execution_status === 'finished' || last !== undefined,
    );
    assert.equal(await made.state.getExecutionStatus(), 'finished');
  },

  async attach(place) {
    const first = await place.conversation();
    await run(place, first, 'One.');
    const second = await place.conversation({ conversationId: first.id });
    assert.equal(await run(place, second, 'From the second.'), 'finished');
    assert.deepEqual(idsOf(await stored(second)), idsOf(await stored(first)));
    const loaded = await place.manager.loadConversation(first.id);
    assert.equal(await loaded.getAgentFinalResponse(), 'You said: From the second.');
    await loaded.close();
  },

  async confirm(place) {
    const made = await place.conversation();
    await made.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    assert.equal(await run(place, made, message(terminal('touch done'))), 'waiting_for_confirmation');
    assert.ok(!existsSync(join(place.folder, 'done')), 'it was executed without being confirmed');
    await made.sendConfirmationResponse(true);
    assert.equal(await ended(place, made), 'finished');
    assert.ok(existsSync(join(place.folder, 'done')), 'it was not executed');
  },

  async reject(place) {
    const made = await place.conversation();
    await made.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    assert.equal(await run(place, made, message(terminal('touch done'))), 'waiting_for_confirmation');
    await made.sendConfirmationResponse(false, 'far too dangerous');
    assert.equal(await run(place, made), 'finished');
    assert.match(await made.getAgentFinalResponse(), /far too dangerous/);
    assert.ok(!existsSync(join(place.folder, 'done')), 'it was executed');
  },

  async analyzer(place) {
    const made = await place.conversation();
    await made.setSecurityAnalyzer({ kind: 'LLMSecurityAnalyzer' });
    await made.setConfirmationPolicy({ kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true });
    const steps = ['LOW', 'HIGH'].map((risk) => terminal(`touch ${risk}`, { security_risk: risk }));
    assert.equal(await run(place, made, message(...steps)), 'waiting_for_confirmation');
    assert.deepEqual(
      ['LOW', 'HIGH'].map((risk) => existsSync(join(place.folder, risk))),
      [true, false],
    );
  },

  async pause(place) {
    const made = await place.conversation();
    const wait = 'touch started; until [ -e go ]; do sleep 0.05; done';
    await made.sendMessage(message(terminal(wait), terminal('touch second')));
    await made.run();
    await eventually('the first command', () => existsSync(join(place.folder, 'started')));
    await made.pause();
    await writeFile(join(place.folder, 'go'), '');
    assert.equal(await ended(place, made), 'paused');
    assert.ok(!existsSync(join(place.folder, 'second')), 'it went on');
    assert.equal(await run(place, made), 'finished');
    assert.ok(existsSync(join(place.folder, 'second')), 'it did not go on');
  },

  async interrupt(place) {
    const made = await place.conversation();
    await made.sendMessage(message(terminal('touch started; sleep 600')));
    await made.run();
    await eventually('the command', () => existsSync(join(place.folder, 'started')));
    const { ConversationClient } = await import('@openhands/typescript-client/clients');
    const { host, apiKey } = made.workspace;
    await new ConversationClient({ host, apiKey }).interruptConversation(made.id);
    assert.equal(await ended(place, made), 'paused');
    assert.equal(await run(place, made, 'Go on.'), 'finished');
  },

  async fork(place) {
    const made = await place.conversation();
    await run(place, made, 'One.');
    const other = await made.fork({ title: 'Another', tags: { of: 'fork' } });
    place.keep(other);
    assert.deepEqual(idsOf(await stored(other)), idsOf(await stored(made)));
    assert.equal(await run(place, other, 'Two.'), 'finished');
    const { title, tags } = await place.manager.getConversation(other.id);
    assert.deepEqual([title, tags.of], ['Another', 'fork']);
  },

  async navigate(place) {
    const made = await place.conversation();
    await run(place, made, 'One.');
    const at = (await stored(made)).at(-1).id;
    await run(place, made, 'Two.');
    await made.navigateTo(at);
    assert.equal((await place.manager.getConversation(made.id)).leaf_event_id, at);
    await run(place, made, 'Three.');
    const third = (await stored(made)).find((event) => JSON.stringify(event).includes('Three.'));
    assert.equal(third.parent_id, at);
    await assert.rejects(made.navigateTo(crypto.randomUUID()), failsWith(404));
  },

  async ask(place) {
    const made = await place.conversation();
    await run(place, made, 'One.');
    const before = await stored(made);
    assert.match(await made.askAgent('What did you do, exactly?'), /What did you do, exactly\?/);
    assert.deepEqual(await stored(made), before);
  },

  async condense(place) {
    const condenser = { kind: 'LLMSummarizingCondenser', llm: place.llm('condenser'), max_size: 100, keep_first: 1 };
    const made = await place.conversation({ agent: place.agent({ condenser }) });
    for (const number of [1, 2, 3, 4]) await run(place, made, `Message ${number}.`);
    await made.condense();
    await eventually('a condensation', async () => kindsOf(await stored(made)).includes('Condensation'));
    assert.equal(await run(place, made, 'And now?'), 'finished');
  },

  async secrets(place) {
    const made = await place.conversation();
    await made.updateSecrets({ FIRST: SECRET, SECOND: () => `${SECRET}-2` });
    await run(place, made, message(terminal('echo $FIRST $SECOND; echo ${#FIRST} ${#SECOND}')));
    const everything = JSON.stringify([await stored(made), made.told, await place.manager.getConversation(made.id)]);
    assert.match(everything, new RegExp(`${SECRET.length} ${SECRET.length + 2}`));
    assert.ok(!everything.includes(SECRET), 'the value was told');
  },

  async title(place) {
    const made = await place.conversation();
    await made.setTitle('The moon');
    assert.equal((await place.manager.getConversation(made.id)).title, 'The moon');
  },

  async stats(place) {
    const made = await place.conversation();
    await run(place, made, 'One.');
    const { usage_to_metrics: usages } = await made.conversationStats();
    assert.ok(usages.agent.accumulated_token_usage.prompt_tokens > 0);
  },

  async 'final-response'(place) {
    const made = await place.conversation();
    await run(place, made, message({ tool: 'finish', arguments: { message: 'All of it is done.' } }));
    assert.equal(await made.getAgentFinalResponse(), 'All of it is done.');
  },

  async 'switch-model'(place) {
    const made = await place.conversation();
    await run(place, made, 'One.');
    await made.switchLlm(place.llm('agent-2', 'openai/scripted-2'));
    assert.equal(await run(place, made, 'Two.'), 'finished');
    assert.equal((await place.manager.getConversation(made.id)).agent.llm.model, 'openai/scripted-2');
  },

  async hooks(place) {
    const hook = { type: 'command', command: "echo 'not in this house' >&2; exit 2" };
    const hookConfig = { pre_tool_use: [{ matcher: 'terminal', hooks: [hook] }] };
    const made = await place.conversation({ hookConfig });
    await run(place, made, message(terminal('touch done')));
    assert.ok(!existsSync(join(place.folder, 'done')), 'it was executed');
    assert.match(await made.getAgentFinalResponse(), /not in this house/);
    assert.equal((await made.getHookConfig()).pre_tool_use[0].hooks[0].command, hook.command);
  },

  async events(place) {
    const made = await place.conversation();
    await run(place, made, 'One.');
    const { events } = made.state;
    const all = await stored(made);
    assert.equal(await events.count(), all.length);
    assert.deepEqual(await events.getEventById(all[1].id), all[1]);
    assert.deepEqual(await events.getEventsById([all[0].id, crypto.randomUUID()]), [all[0], null]);
    const { items } = await events.search({ kind: 'MessageEvent', source: 'user', sort_order: 'TIMESTAMP_DESC' });
    assert.deepEqual(items, [all[1]]);
  },

  async trajectory(place) {
    const made = await place.conversation();
    await run(place, made, 'One.');
    const archive = Buffer.from(await (await made.downloadTrajectory()).arrayBuffer());
    assert.equal(archive.subarray(0, 2).toString(), 'PK');
    for (const { id } of await stored(made)) assert.ok(archive.includes(id), `event ${id} is not in the archive`);
  },

  async files({ workspace, folder }) {
    const path = join(folder, 'on server ü');
    const content = 'roses are red\n'.repeat(10_000);
    assert.equal((await workspace.uploadText(content, path)).success, true);
    assert.equal(await readFile(path, 'utf8'), content);
    assert.equal(await workspace.downloadAsText(path), content);
    await assert.rejects(workspace.fileDownload(join(folder, 'nothing')), failsWith(404));
  },

  async git({ workspace, folder }) {
    const identity = '-c user.name=a -c user.email=a@b.c';
    const make = `git init -q -b main . && echo one > file && git add . && git ${identity} commit -q -m one`;
    const change = 'echo two > file && echo new > other';
    assert.equal((await workspace.executeCommand(`${make} && ${change}`, folder)).exit_code, 0);
    const changes = (await workspace.gitChanges(folder)).map(({ status, path }) => `${status} ${path}`);
    assert.deepEqual(changes.toSorted(), ['ADDED other', 'UPDATED file']);
    const { original, modified } = await workspace.gitDiff(join(folder, 'file'));
    assert.deepEqual([original.trim(), modified.trim()], ['one', 'two']);
  },

  async bash({ workspace, folder }) {
    const { exit_code, stdout, stderr } = await workspace.executeCommand('pwd; echo err >&2; exit 3', folder);
    assert.deepEqual([exit_code, stdout, stderr], [3, `${folder}\n`, 'err\n']);
  },

  async delete(place) {
    const made = await place.conversation();
    await run(place, made, 'One.');
    await made.close();
    assert.equal((await place.manager.getConversation(made.id)).id, made.id);
    await place.manager.deleteConversation(made.id);
    await assert.rejects(place.manager.getConversation(made.id), failsWith(404));
  },

  async reconnect(place) {
    const made = await place.conversation();
    await run(place, made, 'One.');
    await place.server.restart();
    const told = made.told.length;
    await eventually('a socket again', () => made.told.length > told);
    assert.equal(await run(place, made, message(terminal('echo back'))), 'finished');
    const ids = idsOf(await stored(made)).slice(-4);
    await eventually('the new events', () => ids.every((id) => made.told.some((event) => event.id === id)));
  },
};

/** Sends, runs to the end of the run; how that ended. */
async function run(place, conversation, text) {
  if (text !== undefined) await conversation.sendMessage(text);
  await conversation.run();
  return ended(place, conversation);
}

async function ended({ manager }, { id }) {
  let status = 'running';
  await eventually('the end of the run', async () => {
    status = (await manager.getConversation(id)).execution_status;
    return status !== 'running';
  });
  return status;
}

/** The events of REST: a list that no socket fills. */
async function stored({ workspace, id }) {
  const { RemoteEventsList } = await import('@openhands/typescript-client');
  const { host: baseUrl, apiKey } = workspace;
  return new RemoteEventsList({ baseUrl, apiKey }, id).getEvents();
}

async function eventually(what, holds) {
  const deadline = Date.now() + TIMEOUT;
  while (!(await holds())) {
    if (Date.now() > deadline) assert.fail(`never came: ${what}`);
    await setTimeout(20);
  }
}

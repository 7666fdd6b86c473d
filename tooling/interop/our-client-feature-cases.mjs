import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { message, MODEL_KEY } from './model.mjs';
import {
  SECRET,
  TIMEOUT,
  WAITS,
  terminal,
  failsWith,
  kindsOf,
  textsOf,
  run,
  outcomeOf,
  startRun,
  idsOf,
  sameAsRest,
  eventually,
} from './our-client-checks.mjs';

/** Cases of what conversations and workspaces can do besides running, by name. Each has a place of its own: `our-client.mjs`. */
export const FEATURE_CASES = {
  async fork({ conversation, rest }) {
    const made = await conversation();
    await run(made, 'One.');
    const before = await idsOf(made);
    const id = await made.history.fork({ title: 'Another', tags: { of: 'fork' } });
    const other = await conversation({ id, create: 'never', agent: undefined });
    // a server may note that the fork was given the key of its model
    assert.deepEqual((await idsOf(other)).slice(0, before.length), before);
    assert.equal(other.state.tags.of, 'fork');
    assert.equal(await run(other, 'Two.'), 'finished');
    const { body } = await rest(`/api/conversations/${id}`);
    assert.equal(body.title, 'Another');
    assert.deepEqual(await idsOf(made), before);
  },

  async 'fork-from-event'({ conversation }) {
    const made = await conversation();
    await run(made, 'One.');
    const at = await made.events.idAt(-1);
    await run(made, 'Two.');
    const id = await made.history.fork({ from: at });
    const other = await conversation({ id, create: 'never', agent: undefined });
    assert.equal(other.state.leafEventId, at);
    assert.equal(await run(other, 'Three.'), 'finished');
    await assert.rejects(made.history.fork({ from: crypto.randomUUID() }), failsWith('UNKNOWN_EVENT'));
  },

  async 'fork-open-calls'({ conversation, folder }) {
    const made = await conversation({ confirmationPolicy: { kind: 'NeverConfirm' } });
    await made.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    await made.sendMessage(message({ calls: [terminal('touch one'), terminal('touch two')] }));
    assert.equal((await made.run({ timeout: TIMEOUT })).status, 'waiting_for_confirmation');
    const id = await made.history.fork();
    const other = await conversation({ id, create: 'never', agent: undefined });
    assert.equal(other.state.confirmationPolicy.kind, 'AlwaysConfirm');
    assert.equal(other.state.executionStatus, 'waiting_for_confirmation');
    assert.equal(await run(other, 'Something else.'), 'finished');
    assert.ok(!existsSync(join(folder, 'one')) && !existsSync(join(folder, 'two')), 'a call ran without a question');
    assert.equal(kindsOf(await other.events.slice()).filter((kind) => kind === 'UserRejectObservation').length, 2);
    assert.equal(made.state.pendingActions.length, 2);
    const third = await conversation({ id: await made.history.fork(), create: 'never', agent: undefined });
    await third.approve();
    assert.equal((await third.run({ timeout: TIMEOUT })).status, 'finished');
    assert.ok(existsSync(join(folder, 'one')) && existsSync(join(folder, 'two')), 'an approved call did not run');
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

  async 'ask-during-run'({ conversation, folder, server, complete }) {
    const made = await conversation();
    await made.sendMessage(message(terminal(WAITS)));
    const running = startRun(made);
    await eventually('the command', () => existsSync(join(folder, 'started')));
    const asking = made.askAgent('Are you still there?');
    // OpenHands' first release here gives the model a call without a result
    if (complete || server.version !== '1.43.1') assert.match((await asking).text, /still there\?/);
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
    const { status, iterations, reason } = await outcomeOf(made, message(...steps));
    assert.deepEqual([status, iterations, reason?.code], ['error', 2, 'MaxIterationsReached']);
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
    for (const model of ['openai/scripted-2', 'openai/scripted-3', 'openai/scripted-2']) {
      await made.settings.setModel({ ...llm('agent'), model });
      assert.equal(made.state.agent.llm.model, model);
      assert.equal(await run(made, 'Another.'), 'finished');
      assert.equal(made.state.agent.llm.model, model);
    }
  },

  async 'text-calls'({ agent, conversation, llm }) {
    const made = await conversation({ agent: agent({ llm: { ...llm('agent'), native_tool_calling: false } }) });
    const steps = message(terminal('echo one', { security_risk: 'LOW', summary: 'one' }), terminal('echo two'));
    assert.equal(await run(made, steps), 'finished');
    const events = await made.events.slice();
    assert.deepEqual(
      textsOf(events).map((text) => text.trim().split('\n', 1)[0]),
      ['one', 'two'],
    );
    const [{ thought }] = events.filter(({ kind }) => kind === 'ActionEvent');
    assert.deepEqual(
      thought.map(({ text }) => text),
      ['I call it.'],
    );
    const answer = events.findLast(({ kind }) => kind === 'MessageEvent');
    assert.match(JSON.stringify(answer), /Done\. EXECUTION RESULT of \[terminal\]:\\ntwo/);
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
};

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { message } from '../interop/model.mjs';
import { eventually } from './place.mjs';

const EARLIER = 'Earlier work';
/** Calls the terminal with a time limit, because a command that prints nothing for half a minute is handed back as still running. */
const terminal = (command, risk = 'LOW') => ({
  tool: 'terminal',
  arguments: { command, timeout: 300, security_risk: risk },
});

/**
 * Steps of a visit: each goes on where the previous step ended. Each asserts on the page and on the server's stored data.
 * `visit.id` is the conversation that the page shows.
 *
 * @type {{ name: string, asserts: string, run: (visit: object) => Promise<void> }[]}
 */
export const STEPS = [
  {
    name: 'loads',
    asserts: 'the page loads, finds the server and the model',
    async run({ page, chat, url }) {
      await page.goto(url);
      await chat.click('confirm-telemetry-preferences');
      await chat.part('home-chat-launcher').waitFor();
      await chat.shows('chat-input-llm-profile', 'scripted');
      await chat.part('backend-status-dot').waitFor();
    },
  },
  {
    name: 'lists',
    asserts: 'a conversation of another client is listed; chosen, it shows its history',
    async run(visit) {
      const { page, chat, earlier } = visit;
      await page.getByTestId('conversation-card').filter({ hasText: EARLIER }).click();
      await page.waitForURL(({ pathname }) => pathname === `/conversations/${earlier}`);
      await chat.shows('user-message', 'What was before?');
      await chat.shows('agent-message', 'You said: What was before?');
      await chat.shows('conversation-name-title', EARLIER);
    },
  },
  {
    name: 'starts',
    asserts: 'a typed task starts a conversation, which works and answers',
    async run(visit) {
      const { chat, place } = visit;
      visit.id = await chat.start(message(terminal('echo $((6*7)) > answer; cat answer'), { say: 'It is forty-two.' }));
      await chat.shows('agent-message', 'It is forty-two.');
      await chat.shows('generic-event-message-title', 'Ran echo $((6*7))');
      const { observation } = await place.storedOf(visit.id, 'ObservationEvent');
      assert.match(observation.content[0].text, /^42/);
      await place.reaches(visit.id, 'finished');
    },
  },
  {
    name: 'live',
    asserts: 'a command is shown while it runs, its output and the answer as they come',
    async run({ chat, place, id }) {
      const waits = 'until [ -e go ]; do sleep 0.1; done; echo "gone at last"';
      await chat.openTab('terminal');
      await chat.say(message(terminal(waits), { say: 'It has gone.' }));
      await chat.shows('live-activity-chip', 'Running until');
      await chat.terminalShows('$ until [ -e go ]');
      assert.equal(await place.status(id), 'running');
      await writeFile(join(await place.workFolder(id), 'go'), '');
      await chat.terminalShows('gone at last');
      await chat.shows('agent-message', 'It has gone.');
      await chat.shows('generic-event-message-title', 'Ran until');
      await chat.hides('live-activity-chip');
      await place.reaches(id, 'finished');
    },
  },
  {
    name: 'usage',
    asserts: 'what the model took is counted beside the chat',
    async run({ chat, page, place, id }) {
      await chat.openTab('usage');
      const { stats } = await place.ask('GET', `/api/conversations/${id}`);
      const { accumulated_token_usage: usage } = stats.usage_to_metrics.agent;
      assert.ok(usage.prompt_tokens > 0);
      await page.getByText(usage.prompt_tokens.toLocaleString('en-US'), { exact: true }).first().waitFor();
    },
  },
  {
    name: 'files',
    asserts: 'the files that the agent wrote are listed and shown',
    async run({ chat }) {
      await chat.openTab('files');
      await chat.click('files-tab-refresh');
      await chat.click('file-tree-file-answer');
      await chat.shows('files-tab-content', '42');
    },
  },
  {
    name: 'confirmation',
    asserts: 'confirmation is turned on in the settings, and kept by the server',
    async run({ chat, page, place }) {
      await chat.click('backend-selector-settings-link');
      await chat.click('sidebar-settings-/settings/verification');
      await page.getByText('Confirmation Mode', { exact: true }).click();
      await chat.click('save-button');
      await eventually('the setting', async () => {
        const { conversation_settings: kept } = await place.ask('GET', '/api/settings');
        return kept.confirmation_mode === true;
      });
    },
  },
  {
    name: 'waits',
    asserts: 'an action of high risk is not run, and the page asks about it',
    async run(visit) {
      const { chat, place } = visit;
      visit.id = await chat.start(message(terminal('echo sure > sure', 'HIGH'), { say: 'It is written.' }));
      await chat.part('action-confirm-button').waitFor();
      assert.equal(await place.status(visit.id), 'waiting_for_confirmation');
      const kinds = (await place.stored(visit.id)).map(({ kind }) => kind);
      assert.ok(kinds.includes('ActionEvent') && !kinds.includes('ObservationEvent'), kinds.join());
      assert.ok(!existsSync(join(await place.workFolder(visit.id), 'sure')));
    },
  },
  {
    name: 'confirms',
    asserts: 'a click on "Continue" has the action run',
    async run({ chat, place, id }) {
      await chat.click('action-confirm-button');
      await chat.shows('agent-message', 'It is written.');
      await chat.hides('action-confirm-button');
      await place.storedOf(id, 'ObservationEvent');
      assert.ok(existsSync(join(await place.workFolder(id), 'sure')));
    },
  },
  {
    name: 'rejects',
    asserts: 'a click on "Cancel" rejects the action; it is never run',
    async run({ chat, place, id }) {
      await chat.say(message(terminal('echo never > never', 'HIGH'), { say: 'Not to be said.' }));
      await chat.click('action-reject-button');
      await chat.hides('action-confirm-button');
      await place.storedOf(id, 'UserRejectObservation');
      await place.reaches(id, 'idle');
      assert.ok(!existsSync(join(await place.workFolder(id), 'never')));
    },
  },
  {
    name: 'stops',
    asserts: 'a click on "Stop" interrupts a command that runs, and the page shows that it stopped',
    async run({ chat, place, id }) {
      await chat.say(message(terminal('until [ -e ever ]; do sleep 0.1; done'), { say: 'Then let us stop.' }));
      await chat.shows('live-activity-chip', 'Running until');
      await chat.click('stop-button');
      await chat.part('play-button').waitFor();
      await place.reaches(id, 'paused');
    },
  },
  {
    name: 'resumes',
    asserts: 'a click on "Play" has the agent go on',
    async run({ chat, place, id }) {
      await chat.click('play-button');
      await chat.shows('agent-message', 'Then let us stop.');
      await place.reaches(id, 'finished');
    },
  },
  {
    name: 'restart',
    asserts: 'when the server has been killed and started again, the same page goes on with the conversation',
    async run({ chat, place, server, id, expectOutage }) {
      await expectOutage(() => server.restart());
      await chat.say('Are you there?');
      await chat.shows('agent-message', 'You said: Are you there?');
      await place.reaches(id, 'finished');
    },
  },
  {
    name: 'reload',
    asserts: 'a reload shows the same history, and no message that is not on disk',
    async run({ chat, page, place, id }) {
      const before = await chat.texts();
      await page.reload();
      await eventually('the same history', async () => JSON.stringify(await chat.texts()) === JSON.stringify(before));
      const messages = (await place.stored(id)).filter(({ kind }) => kind === 'MessageEvent');
      assert.equal(await chat.part('user-message').count(), messages.filter(({ source }) => source === 'user').length);
      assert.equal(
        await chat.part('agent-message').count(),
        messages.filter(({ source }) => source === 'agent').length,
      );
    },
  },
  {
    name: 'requests',
    asserts: 'no request was answered with an error, but for routes that no agent server has, and no notice was red',
    async run({ faults }) {
      assert.deepEqual(faults.found, []);
    },
  },
];

/** Prepares the server before the page is opened: a model to choose, and a conversation of another client. */
export async function prepare({ place, model, folder }) {
  const llm = { model: 'openai/scripted', base_url: model.url, api_key: 'model-key', usage_id: 'agent' };
  await place.ask('POST', '/api/profiles/scripted', { llm, include_secrets: true });
  await place.ask('POST', '/api/profiles/scripted/activate');
  const { id } = await place.ask('POST', '/api/conversations', {
    agent: { kind: 'Agent', llm, tools: [{ name: 'terminal', params: {} }] },
    workspace: { kind: 'LocalWorkspace', working_dir: join(folder, 'work', 'earlier') },
    initial_message: { role: 'user', content: [{ type: 'text', text: 'What was before?' }], run: true },
    autotitle: false,
  });
  await place.reaches(id, 'finished');
  await place.ask('PATCH', `/api/conversations/${id}`, { title: EARLIER });
  return id;
}

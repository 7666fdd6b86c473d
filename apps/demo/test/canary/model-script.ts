import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';

import {
  call,
  calls,
  drop,
  fail,
  hang,
  nonsense,
  say,
  type ModelRequest,
  type Turn,
  type TurnFunction,
} from '@conv/testing-model-server';

import type { Carrier } from './carrier.ts';
import { awkward, quote, SIMPLE } from './ways.ts';

type Step = Turn | TurnFunction;

/** Returns the model's turns in the first process. Each part is a run of the conversation, in the order of `first-life.ts`. */
export function firstScript(carrier: Carrier, workspace: string): readonly Step[] {
  return [
    ...commands(carrier, workspace),
    ...otherTools(carrier, workspace),
    ...hooked(workspace),
    // a hook sends the first answer back
    say(awkward(carrier.all('said')), { reasoning: awkward(carrier.all('reasoning')) }),
    say('accepted'),
    say(carrier.all('side-answer')),
    ...failures(carrier),
    calls([
      { name: 'nested', arguments: { payload: carrier.all('rejected-call') } },
      { name: 'nested', arguments: { payload: 'approved' } },
    ]),
    say('after the approval'),
    hang({ text: awkward(carrier.all('interrupted')) }),
    say('in the fork'),
  ];
}

/** Returns the model's turns in the second process, where it is not asked to stream. */
export function secondScript(carrier: Carrier): readonly Step[] {
  return [
    call(
      'terminal',
      { command: 'cat all.txt' },
      { text: carrier.all('unstreamed'), reasoning: carrier.all('unstreamed-reasoning') },
    ),
    say(carrier.all('said-again')),
    say('accepted again'),
    say(carrier.all('side-answer-again')),
    // a parser may quote the first characters of what it could not read
    nonsense(carrier.all('nonsense-again')),
    nonsense(carrier.value('plain-token')),
    nonsense(`{"answer": ${carrier.value('plain-token')}}`),
    nonsense(`{"answer": ${carrier.value('plain-token')}}`),
  ];
}

function commands(carrier: Carrier, workspace: string): readonly Step[] {
  const literal = `printf %s ${quote(carrier.all('command'))} | wc -c`;
  const named = `printf '@named/%s=%s;' from-function "$FROM_FUNCTION" from-lookup "$FROM_LOOKUP" rotated-new "$ROTATED"`;
  const terminal = (command: string, rest: object = {}): Turn => call('terminal', { command, ...rest });
  const node = quote(process.execPath);
  return [
    terminal(named),
    call('terminal', awkward(JSON.stringify({ command: literal })), { text: awkward(carrier.all('thought')) }),
    terminal('cat all.txt; cat -n values/key-file'),
    terminal(`${node} encode.mjs out-json out-json-json; base64 values/long; base64 -w0 values/key-file`),
    terminal(`${node} encode.mjs out-json-ascii out-url out-form`),
    terminal(`${node} encode.mjs out-base64 out-base64-one out-base64-two`),
    terminal(`${node} encode.mjs out-base64url out-base64-wrapped out-hex`),
    terminal(`${node} flood.mjs`),
    terminal('(read -r go < go; cat idle.txt; echo > printed) &'),
    async () => {
      await writeFile(join(workspace, 'go'), 'go\n');
      await readFile(join(workspace, 'printed'));
      return terminal('echo after the background');
    },
    terminal('read -r line; echo "typed back: $line"', { timeout: 0 }),
    terminal(SIMPLE.map((id) => carrier.one('typed', id)).join(' '), { is_input: true }),
    terminal(`cat all.txt >&2; exit 3`),
  ];
}

function otherTools(carrier: Carrier, workspace: string): readonly Step[] {
  const editor = (command: string, path: string, rest: object = {}): Turn =>
    call('file_editor', { command, path: join(workspace, path), ...rest });
  const inner = JSON.stringify({ text: carrier.all('argument-json') });
  const payload = {
    all: carrier.all('argument'),
    [carrier.one('argument-name', 'plain-token')]: true,
    json: JSON.stringify({ inner }),
    number: Number(carrier.value('digits')),
    list: [{ deep: carrier.ids().map((id) => carrier.one('argument-deep', id)) }],
  };
  return [
    editor('create', 'made.txt', { file_text: carrier.all('editor-create') }),
    editor('view', 'view.txt'),
    editor('view', 'values/key-file'),
    editor('str_replace', 'replace.txt', { old_str: 'last line', new_str: 'the end' }),
    call('task_tracker', {
      command: 'plan',
      task_list: carrier.ids().map((id) => ({ title: carrier.one('task', id), notes: carrier.one('task-notes', id) })),
    }),
    call('nested', awkward(JSON.stringify({ payload, summary: carrier.all('summary') }))),
    call('nested', `{"payload": [${carrier.all('malformed-argument')}`),
    call('unknown_tool', { text: carrier.all('unknown-tool') }),
    call('nested', { wrong: carrier.all('wrong-argument') }),
    ...['error', 'aggregate', 'refusal', 'text', 'long'].map((how) => call('thrower', { how })),
    call('talk'),
    call('spill'),
  ];
}

function hooked(workspace: string): readonly Step[] {
  return [
    call('guarded'),
    async () => {
      await readFile(join(workspace, 'hooked'));
      return call('denied');
    },
    call('refused'),
  ];
}

function failures(carrier: Carrier): readonly Step[] {
  const echo = ({ body }: ModelRequest): Turn =>
    fail(400, {
      body: { error: { message: carrier.all('refused-request'), type: 'invalid_request_error' }, request: body },
    });
  const broken = nonsense(`data: {"broken": ${JSON.stringify(carrier.all('nonsense'))}\n\n`);
  return [
    echo,
    fail(401, { message: `incorrect key ${carrier.one('refused-key', 'model-key')}` }),
    broken,
    nonsense(`data: ${carrier.value('plain-token')}\n\n`),
    drop('mid-stream', say(awkward(carrier.all('dropped')))),
    say('after the errors'),
  ];
}

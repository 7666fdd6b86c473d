import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptJson, projections, ConversationState, foldJournal, type StateFields } from '@conv/core';
import { drafts, isEvent, userMessage } from '@conv/core/events';
import { MemoryStore, toConversationKey, type Damage, type JournalReader } from '@conv/core/store';
import { copyConversation } from '@conv/store-kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FsStore, type Finding } from '../../src/index.ts';
import { damageRecord } from '../support/damage-record.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const ID = '00000000-0000-4000-8000-00000000000a';
const STRICT: Partial<StateFields> = {
  maxIterations: 10,
  maxBudget: 2,
  maxBudgetPerRun: 1,
  toolTimeout: 5000,
  hookConfig: { stop: [] },
  securityAnalyzer: { kind: 'PatternSecurityAnalyzer' },
};

interface Made {
  readonly directory: string;
  readonly folder: string;
  readonly wal: string;
}

/** A closed conversation: its beginning, a prompt, then a commit for each message and each change. */
async function made(steps: readonly (string | Partial<StateFields>)[]): Promise<Made> {
  const directory = await freshFolder();
  const store = new FsStore({ directory });
  const state = await ConversationState.open(await store.open(ID, { owner: 'writer' }), { id: ID });
  await state.append([drafts.systemPrompt('be careful', [])]);
  for (const step of steps)
    await (typeof step === 'string' ? state.append([userMessage(step)]) : state.update({ set: step }));
  await state.close();
  await store.close();
  const folder = join(directory, toConversationKey(ID));
  return { directory, folder, wal: join(folder, '.conv', 'epoch-00000001.wal') };
}

function storeIn(directory: string): { store: FsStore; findings: Finding[] } {
  const findings: Finding[] = [];
  const store = new FsStore({ directory, report: (finding) => findings.push(finding) });
  onTestFinished(() => store.close());
  return { store, findings };
}

const spans = (damage: readonly Damage[]): number[][] => damage.map(({ from, to }) => [from, to]);
const asks = { damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } };

describe('a record that is damaged in a log that was closed in order', () => {
  test('P4: a record damaged at rest is reported once, recorded, and restored from its event file', async () => {
    const { directory, folder } = await made(['one', 'two']);
    await damageRecord(folder, 1);
    const { store, findings } = storeIn(directory);
    const state = await ConversationState.open(await store.open(ID, { owner: 'next' }));
    expect(spans(state.damage)).toEqual([[1, 1]]);
    expect(state.damage[0]).toMatchObject({
      restored: [0],
      reason: expect.stringMatching(/^epoch 1 of conversation \S+ is damaged$/) as string,
    });
    expect(state.fields).toMatchObject(asks);
    expect((await state.events.slice()).map(({ kind }) => kind)).toEqual([
      'SystemPromptEvent',
      'MessageEvent',
      'MessageEvent',
    ]);
    expect((await state.modelView())[0]?.kind).toBe('SystemPromptEvent');
    await state.close();
    const again = await ConversationState.open(await store.open(ID, { owner: 'third' }));
    expect(again.events.length).toBe(3);
    expect(findings.filter(({ kind }) => kind === 'damage')).toHaveLength(1);
    await again.close();
  });

  test('P4: a record damaged at rest is known to a reader at once, even behind a snapshot', async () => {
    const { directory, folder } = await made([STRICT, 'go']);
    await damageRecord(folder, 1);
    const { store } = storeIn(directory);
    const reader = await store.read(ID);
    expect(reader && spans(reader.damage)).toEqual([[1, 1]]);
    expect(reader && (await projections.readState(reader)).fields).toMatchObject({ ...asks, ...STRICT });
  });

  test('P4: a restored event stays when its event file is removed later', async () => {
    const { directory, folder } = await made(['one']);
    await damageRecord(folder, 2);
    const { store } = storeIn(directory);
    await (await store.open(ID, { owner: 'next' })).close();
    rmSync(join(folder, 'events'), { recursive: true });
    const journal = await store.open(ID, { owner: 'third' });
    const { events } = await ConversationState.open(journal);
    expect(await events.slice()).toHaveLength(2);
    await store.mirrorComplete(ID);
    expect(readdirSync(join(folder, 'events'))).toHaveLength(2);
  });

  test('P4: a record damaged at rest without an event file is lost and named, and the rest reads back', async () => {
    const { directory, folder } = await made(['one', 'two']);
    await damageRecord(folder, 2);
    rmSync(join(folder, 'events'), { recursive: true });
    const { store } = storeIn(directory);
    const state = await ConversationState.open(await store.open(ID, { owner: 'next' }));
    expect(state.damage).toMatchObject([{ from: 2, to: 2, restored: [] }]);
    expect(state.fields).toMatchObject(asks);
    expect(await state.events.slice()).toHaveLength(2);
    expect((await state.modelView()).map(({ kind }) => kind)).toEqual(['SystemPromptEvent', 'MessageEvent']);
  });

  test('P4: a record damaged at rest is found by reading where opening does not look through the log', async () => {
    const long = Array.from({ length: 60 }, (_, at) => `${at} ${'x'.repeat(50_000)}`);
    const { directory, folder } = await made(long);
    await damageRecord(folder, 2);
    const { store, findings } = storeIn(directory);
    const state = await ConversationState.open(await store.open(ID, { owner: 'next' }));
    expect(state.damaged).toBe(false);
    await state.modelView();
    expect(state.fields).toMatchObject({ ...asks, damage: [{ from: 2, to: 2, restored: [1] }] });
    expect(findings.filter(({ kind }) => kind === 'damage')).toHaveLength(1);
    const reader = (await store.read(ID)) as JournalReader;
    expect((await foldJournal(reader)).fields).toMatchObject(asks);
  });
});

describe('settings in a damaged record', () => {
  test.each([2, 3])('P4: limits, budgets, hooks and analyzer of commit %d come back from the copies', async (seq) => {
    for (const spoil of [() => {}, (folder: string) => rmSync(join(folder, '.conv', 'snapshot'))]) {
      const { directory, folder } = await made([
        STRICT,
        { confirmationPolicy: keptJson<'policy'>({ kind: 'ConfirmRisky' }) },
        'go',
      ]);
      await damageRecord(folder, seq);
      spoil(folder);
      const { store } = storeIn(directory);
      const state = await ConversationState.open(await store.open(ID, { owner: 'next' }));
      expect(state.fields).toMatchObject({ ...STRICT, ...asks });
      await state.close();
      const base = JSON.parse(readFileSync(join(folder, 'base_state.json'), 'utf8')) as object;
      expect(base).toMatchObject({ max_iterations: 10, confirmation_policy: { kind: 'AlwaysConfirm' } });
    }
  });

  test('P4: settings in a damaged record stay named until a person confirms them, even when set again', async () => {
    const { directory, folder } = await made([STRICT, 'go']);
    await damageRecord(folder, 2);
    const { store } = storeIn(directory);
    const state = await ConversationState.open(await store.open(ID, { owner: 'next' }));
    await state.update({ set: { confirmationPolicy: { kind: 'NeverConfirm' } } });
    expect([state.damaged, state.damage.length]).toEqual([true, 1]);
    await state.close();
    const again = await ConversationState.open(await store.open(ID, { owner: 'third' }));
    expect([again.damaged, again.confirmationPolicy]).toEqual([true, { kind: 'NeverConfirm' }]);
  });
});

describe('a torn end that had been acknowledged', () => {
  async function torn(): Promise<Made> {
    const whole = await made(['one', { confirmationPolicy: { kind: 'AlwaysConfirm' } }]);
    truncateSync(whole.wal, readFileSync(whole.wal).length - 10);
    return whole;
  }

  test('P4: a torn end that had been acknowledged is damage for a reader, which ends where the log did', async () => {
    const { store } = storeIn((await torn()).directory);
    const reader = await store.read(ID);
    expect(reader && [reader.end.seq, spans(reader.damage)]).toEqual([4, [[3, 3]]]);
    expect(reader && (await projections.readState(reader)).fields).toMatchObject(asks);
  });

  test('P4 P10: a torn end that had been acknowledged is damage for a fork, which asks before everything', async () => {
    const { store } = storeIn((await torn()).directory);
    const fork = '00000000-0000-4000-8000-00000000000b';
    await store.fork(ID, fork, { patch: { set: { id: fork } } });
    const state = await ConversationState.open(await store.open(fork, { owner: 'next' }));
    expect(state.fields).toMatchObject(asks);
    expect(spans(state.damage)).toEqual([[3, 3]]);
  });

  test('P4: a copy to another store rejects CORRUPT', async () => {
    const { store } = storeIn((await torn()).directory);
    await expect(copyConversation(ID, store, new MemoryStore())).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  test('P4: a message in a torn end is restored for readers and writers, under its number', async () => {
    const { directory, wal } = await made(['one', 'two']);
    truncateSync(wal, readFileSync(wal).length - 10);
    const { store, findings } = storeIn(directory);
    const reader = await store.read(ID);
    expect(reader?.damage).toMatchObject([{ from: 3, to: 3, restored: [2] }]);
    const state = await ConversationState.open(await store.open(ID, { owner: 'next' }));
    const [message] = await state.events.slice(2);
    expect(message && isEvent(message, 'MessageEvent') && message.llm_message.content).toMatchObject([{ text: 'two' }]);
    await state.append([userMessage('three')]);
    expect(await state.events.slice()).toHaveLength(4);
    expect(findings.map(({ kind }) => kind)).toEqual(['damage']);
  });
});

describe('files beside the log', () => {
  test('P4: no byte of base_state.json or meta.json that is flipped changes a setting', async () => {
    const { directory, folder } = await made([STRICT, 'go']);
    for (const name of ['base_state.json', 'meta.json']) {
      const bytes = readFileSync(join(folder, name));
      for (let at = 3; at < bytes.length; at += 17) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] as number) ^ (1 << (at % 7));
        writeFileSync(join(folder, name), damaged);
        const store = new FsStore({ directory });
        const journal = await store.open(ID, { owner: 'next' });
        const { fields } = await projections.readState(journal);
        expect(fields, `${name}, byte ${at}`).toMatchObject({
          ...STRICT,
          damaged: false,
          title: null,
          extra: { meta: {} },
        });
        await store.close();
        expect(JSON.parse(readFileSync(join(folder, name), 'utf8')), `${name}, byte ${at}`).toMatchObject(
          name === 'meta.json' ? { max_iterations: 10 } : { max_iterations: 10, id: ID },
        );
      }
    }
  });
});

test('P4: commits that are compared with their checksums alone show the damage that reading shows', async () => {
  const { directory, folder, wal } = await made(['one', 'two', 'three']);
  await damageRecord(folder, 2);
  const { store } = storeIn(directory);
  const readers = [await store.read(ID), await store.read(ID)] as [JournalReader, JournalReader];
  const [read, verified] = readers;
  await Array.fromAsync(read.commits());
  expect(await verified.verify?.(0, verified.end.seq)).toBeGreaterThan(0);
  expect(await verified.verify?.(0, verified.end.seq)).toBeLessThan(readFileSync(wal).length);
  expect(verified.damage).toEqual(read.damage);
  expect(spans(read.damage)).toEqual([[2, 2]]);
});

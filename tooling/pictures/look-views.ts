import type { Page } from 'playwright-core';

import type { LookStory } from './look-story.ts';

/** A view of studio that a person looks at. */
export interface LookView {
  readonly name: string;
  /** The path below `/studio`. */
  readonly path: string;
  /** A text by which the view is known to be there. */
  readonly sign: string;
  /** Opens what the view shows, such as a menu. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Shows the screen that asks for a key. */
  readonly isLocked?: boolean;
  /** Shows a server without conversations. */
  readonly isEmpty?: boolean;
  /** Complaints that belong to the view, such as the answer 404 for a conversation that is missing. */
  readonly allowed?: RegExp;
}

const MISSING = '00000000-0000-4000-8000-000000000000';

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click();

const fromMenu = (button: string, entry: string) => async (page: Page) => {
  await press(page, button);
  await page.getByRole('menuitem', { name: entry }).click();
  await page.getByRole('dialog').waitFor();
};

const act = (entry: string): ((page: Page) => Promise<void>) => fromMenu('Actions on this conversation', entry);

const tab = (name: string) => async (page: Page) => {
  const more = page.getByRole('button', { name: 'At this point' });
  await page.getByRole('tablist').or(more).first().waitFor();
  if (await more.isVisible()) await more.click();
  await page.getByRole('tab', { name }).click();
};

const scrollTo = (heading: string) => (page: Page) =>
  page.getByRole('heading', { name: heading, exact: true }).evaluate((element) => element.scrollIntoView());

/** Returns the views of studio, most of them of conversations that were played. */
export function lookViews(story: LookStory): readonly LookView[] {
  const { finished, waiting, failed, asking, running, parent, fork, branched, damaged } = story;
  const slug = 'Mend the slug of titles';
  const at = `/c/${finished}?e=7`;
  const done = { path: `/c/${finished}`, sign: 'A table of the same' };
  const list = { path: '/', sign: slug };
  return [
    { name: 'access', path: '/', sign: 'Key of the server', isLocked: true, allowed: /401/ },
    { name: 'list', ...list },
    { name: 'list-empty', path: '/', sign: 'No conversations yet', isEmpty: true },
    { name: 'list-nothing-fits', path: '/?q=nothing+has+these+words', sign: 'No conversation fits' },
    {
      name: 'list-lost',
      ...list,
      prepare: async (page) => {
        await page.route('**/*', (route) => route.abort());
        await page.getByText('Connection lost.').waitFor();
      },
      allowed: /ERR_FAILED|WebSocket/,
    },
    { name: 'menu', ...list, prepare: (page) => press(page, 'Menu') },
    { name: 'about', ...list, prepare: fromMenu('Menu', 'About this server') },
    { name: 'shortcuts', ...list, prepare: fromMenu('Menu', 'Keyboard shortcuts') },
    { name: 'no-such-page', path: '/nowhere', sign: 'There is no such page' },
    { name: 'no-such-conversation', path: `/c/${MISSING}`, sign: 'There is no such conversation', allowed: /404/ },
    { name: 'start', path: '/new', sign: 'Start a conversation' },
    {
      name: 'start-mistake',
      path: '/new',
      sign: 'Start a conversation',
      prepare: async (page) => {
        await page.getByText('Limits, title and tags').click();
        await press(page, 'Start');
        await page.locator('.notice[data-tone=bad]').scrollIntoViewIfNeeded();
      },
    },
    { name: 'conversation', ...done },
    {
      name: 'raw-json',
      ...done,
      prepare: async (page) => {
        await page.locator('.conv-details').last().click();
        await page
          .getByRole('heading', { name: /^Event \d+ · / })
          .first()
          .waitFor();
      },
    },
    { name: 'conversation-menu', ...done, prepare: (page) => press(page, 'Actions on this conversation') },
    { name: 'time-view', path: at, sign: 'Join words alone', prepare: tab('Model’s view') },
    { name: 'time-state', path: at, sign: 'Join words alone', prepare: tab('State') },
    { name: 'time-changes', path: at, sign: 'Join words alone', prepare: tab('Changes') },
    { name: 'time-files', path: at, sign: 'Join words alone', prepare: tab('Files') },
    { name: 'approvals', path: `/c/${waiting}`, sign: '2 calls wait for you' },
    {
      name: 'approval-reason',
      path: `/c/${waiting}`,
      sign: '2 calls wait for you',
      prepare: (page) => press(page, 'Add a reason…'),
    },
    { name: 'client-answer', path: `/c/${asking}`, sign: 'Which colour shall' },
    { name: 'error', path: `/c/${failed}`, sign: 'the provider refused the API key' },
    { name: 'running', path: `/c/${running}`, sign: 'Please wait for ever' },
    {
      name: 'sub-agent',
      path: `/c/${parent}`,
      sign: 'Conversation of the sub-agent',
      prepare: async (page) => {
        await page.getByText('Conversation of the sub-agent').click();
        await page.getByRole('button', { name: 'Open as a page' }).waitFor();
      },
    },
    { name: 'damage', path: `/c/${damaged}`, sign: 'lost to damage' },
    {
      name: 'damage-understand',
      path: `/c/${damaged}/understand`,
      sign: 'Settings and health',
      prepare: scrollTo('Damage'),
    },
    { name: 'understand', path: `/c/${finished}/understand`, sign: 'Settings and health' },
    {
      name: 'understand-course',
      path: `/c/${finished}/understand`,
      sign: 'Settings and health',
      prepare: scrollTo('Course'),
    },
    {
      name: 'understand-tree',
      path: `/c/${branched}/understand`,
      sign: 'Settings and health',
      prepare: scrollTo('Branches, forks and sub-agents'),
    },
    { name: 'compare', path: `/compare?a=${finished}&b=${fork}`, sign: 'fork at 7' },
    { name: 'dialog-labels', ...done, prepare: act('Title and tags') },
    { name: 'dialog-fork', ...done, prepare: act('Fork') },
    { name: 'dialog-model', ...done, prepare: act('Switch the model') },
    { name: 'dialog-policy', ...done, prepare: act('Approval policy') },
    { name: 'dialog-limits', ...done, prepare: act('Limits') },
    { name: 'dialog-delete', ...done, prepare: act('Delete') },
  ];
}

import { eventually } from './place.mjs';

/** Parts of a chat, in the order in which the page shows them. */
const PARTS = ['user-message', 'generic-event-message-title', 'agent-message'];

/** The web UI in a page, by what people see and click. */
export class Chat {
  #page;

  constructor(page) {
    this.#page = page;
  }

  part(name) {
    return this.#page.getByTestId(name);
  }

  async click(name) {
    await this.part(name).first().click();
  }

  /** Types a message and sends it. */
  async say(text) {
    await this.click('chat-input');
    await this.part('chat-input').fill(text);
    await this.click('submit-button');
  }

  /** Starts a conversation with a task. Resolves with its id, when the page shows it. */
  async start(task) {
    await this.click('sidebar-conversations-link');
    await this.part('home-chat-launcher').waitFor();
    await this.say(task);
    await this.#page.waitForURL(({ pathname }) => /^\/conversations\/[0-9a-f-]{36}$/.test(pathname));
    await this.shows('user-message', task.slice(0, 20));
    return new URL(this.#page.url()).pathname.split('/').at(-1);
  }

  /** Resolves when a part with this text is to be seen. */
  async shows(name, text) {
    await this.part(name).filter({ hasText: text }).first().waitFor();
  }

  /** Resolves when no such part is to be seen any more. */
  async hides(name) {
    await this.part(name).first().waitFor({ state: 'hidden' });
  }

  /** The texts of the chat: messages, and what the agent did. */
  async texts() {
    const all = this.#page.locator(PARTS.map((name) => `[data-testid="${name}"]`).join(','));
    return (await all.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
  }

  /** Opens one of the views beside the chat, and the side if it is closed. */
  async openTab(name) {
    const tab = this.part(`conversation-tab-${name}`);
    const { x = Infinity } = (await tab.boundingBox()) ?? {};
    if (x >= this.#page.viewportSize().width) await this.click('right-panel-toggle');
    await tab.click();
  }

  /** Resolves when the terminal beside the chat has this text. */
  async terminalShows(text) {
    const rows = this.#page.locator('.xterm-rows');
    await eventually(`'${text}' in the terminal`, async () =>
      (await rows.innerText()).replace(/\s+/g, ' ').includes(text),
    );
  }
}

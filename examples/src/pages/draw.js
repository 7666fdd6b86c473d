// The parts that both pages draw.

/** The id of the conversation, which the address keeps when the page is loaded again. */
export const id = location.hash.slice(1) || crypto.randomUUID();
location.hash = id;

/** Shows lines, calls to decide on, and the status. */
export function draw({ lines, asks, status }) {
  element('lines').replaceChildren(...lines.map(({ kind, text }) => tag('li', { className: kind, textContent: text })));
  const buttons = asks.flatMap(({ text, decide }) => [
    document.createTextNode(`${text} `),
    tag('button', { textContent: 'Approve', onclick: () => decide(true) }),
    document.createTextNode(' '),
    tag('button', { textContent: 'Reject', onclick: () => decide(false) }),
  ]);
  element('asks').replaceChildren(...buttons);
  document.querySelector('output').textContent = status;
}

/** Calls `send` with each message that a person writes. */
export function onMessage(send) {
  const [form, input] = [document.querySelector('form'), document.querySelector('input')];
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(input.value);
    input.value = '';
  });
  form.querySelector('button').disabled = false;
  element('kill').addEventListener('click', () => void fetch('/kill', { method: 'POST' }).catch(() => {}));
}

function element(name) {
  return document.getElementById(name);
}

function tag(name, members) {
  return Object.assign(document.createElement(name), members);
}

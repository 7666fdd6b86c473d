import { checkOptionNames, type OptionNames } from '@conv/core';
import { type Event, isEvent, isObservation } from '@conv/core/events';
import { amount } from '../text/amounts.ts';
import { checkEvents, eventForest, type ForestNode, lastHead } from '../timeline/event-forest.ts';
import { eventLabel, hasFailed } from './event-label.ts';
import { mermaidText } from './mermaid-text.ts';

/** Options of {@link eventTree}. */
export interface EventTreeOptions {
  /** The id of HEAD, `state.leafEventId`; `null` before the first event. Default: the last event that moves HEAD. */
  readonly head?: string | null;
  /** Minimum number of events in a line without branches that are folded into one node. Default: 6. */
  readonly foldFrom?: number;
}

/** A node of the diagram: one event, or a run of them. */
interface Drawn {
  readonly first: ForestNode;
  readonly last: ForestNode;
  readonly count: number;
}

const NAMES: OptionNames<EventTreeOptions> = { head: true, foldFrom: true };

/**
 * Returns the events of a log and their branches as a Mermaid graph. HEAD and the live branch stand out; long runs without a branch
 * are folded. Give it all events, in order; the same events give the same text, and a node's id is its event's number.
 */
export function eventTree(events: Iterable<Event>, options: EventTreeOptions = {}): string {
  checkOptionNames('eventTree', options, NAMES);
  checkEvents('eventTree', events);
  const log = [...events];
  const nodes = eventForest(log);
  const head = options.head === undefined ? lastHead(log) : options.head;
  const live = liveBranch(nodes, head);
  const drawn = foldRuns(nodes, head, Math.max(2, options.foldFrom ?? 6));
  const byNode = new Map(drawn.map((each) => [each.last, each]));
  const lines: string[] = [];
  for (const each of drawn) lines.push(drawNode(each, head, live));
  for (const each of drawn) {
    const parent = each.first.parent === undefined ? undefined : byNode.get(each.first.parent);
    if (parent !== undefined) lines.push(`${idOf(parent)} ${live.has(each.first) ? '==>' : '-.->'} ${idOf(each)}`);
  }
  lines.push('classDef live stroke-width:2px', 'classDef head stroke-width:4px', 'classDef left stroke-dasharray:4 4');
  return `flowchart TD\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function liveBranch(nodes: readonly ForestNode[], head: string | null): ReadonlySet<ForestNode> {
  const live = new Set<ForestNode>();
  let node = nodes.findLast(({ event }) => event.id === head);
  for (; node !== undefined; node = node.parent) live.add(node);
  return live;
}

/**
 * Folds runs of nodes that have one parent and one child each. User messages, HEAD and events next to a branch keep their own
 * nodes.
 */
function foldRuns(nodes: readonly ForestNode[], head: string | null, foldFrom: number): readonly Drawn[] {
  const drawn: Drawn[] = [];
  const folded = new Set<ForestNode>();
  for (const first of nodes) {
    if (folded.has(first)) continue;
    const run = isLink(first, head) ? runFrom(first, head) : [];
    if (run.length < foldFrom) {
      drawn.push({ first, last: first, count: 1 });
      continue;
    }
    for (const node of run) folded.add(node);
    drawn.push({ first, last: run.at(-1) ?? first, count: run.length });
  }
  return drawn;
}

function runFrom(first: ForestNode, head: string | null): ForestNode[] {
  const run: ForestNode[] = [];
  for (let node: ForestNode | undefined = first; node !== undefined && isLink(node, head); node = node.children[0]) {
    run.push(node);
  }
  return run;
}

function isLink({ children, event, parent }: ForestNode, head: string | null): boolean {
  if (isEvent(event, 'MessageEvent') && event.source === 'user') return false;
  return children.length === 1 && parent !== undefined && parent.children.length === 1 && event.id !== head;
}

function drawNode(each: Drawn, head: string | null, live: ReadonlySet<ForestNode>): string {
  const { first, last, count } = each;
  if (count > 1) {
    const label = `#35;${first.index}–#35;${last.index} … ${amount(count, 'event')}`;
    return `${idOf(each)}["${label}"]:::${live.has(first) ? 'live' : 'left'}`;
  }
  const isHead = first.event.id === head;
  const label = `#35;${first.index} ${mermaidText(eventLabel(first.event), 48)}${isHead ? ' · HEAD' : ''}`;
  const [open, close] = shapeOf(first.event);
  return `${idOf(each)}${open}"${label}"${close}:::${isHead ? 'head' : live.has(first) ? 'live' : 'left'}`;
}

function shapeOf(event: Event): readonly [open: string, close: string] {
  if (isEvent(event, 'MessageEvent')) return event.source === 'user' ? ['([', '])'] : ['(', ')'];
  if (isEvent(event, 'ObservationEvent') && isObservation(event.observation, 'FinishObservation')) return ['(', ')'];
  if (isEvent(event, 'ObservationEvent') && hasFailed(event)) return ['{{', '}}'];
  if (isEvent(event, 'AgentErrorEvent') || isEvent(event, 'ConversationErrorEvent')) return ['{{', '}}'];
  return isEvent(event, 'ActionEvent') ? ['[[', ']]'] : ['[', ']'];
}

function idOf({ first }: Drawn): string {
  return `e${first.index}`;
}

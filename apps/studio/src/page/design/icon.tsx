import type { ReactElement } from 'react';

/** Paths of the icons, drawn on a grid of 16. */
const PATHS = {
  alert: 'M8 2 1.5 13.5h13L8 2Zm0 4.5v3.2m0 2v.1',
  attach: 'M13 7.2 7.9 12.3a3.2 3.2 0 0 1-4.6-4.5l5.4-5.4a2.1 2.1 0 0 1 3 3L6.4 10.7a1 1 0 0 1-1.5-1.4l4.7-4.8',
  back: 'M10 3 5 8l5 5',
  bell: 'M3.5 11.5h9L11.3 10V7a3.3 3.3 0 0 0-6.6 0v3l-1.2 1.5Zm3 2a1.6 1.6 0 0 0 3 0',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  close: 'm4 4 8 8m0-8-8 8',
  down: 'm4 6 4 4 4-4',
  edit: 'M10.8 2.8 13.2 5.2 5.5 13H3v-2.5l7.8-7.7Z',
  fork: 'M4.5 2v6m0 0v6m0-6c0-2 7-1 7-3.5V2',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-6.8V11m0-6.1V5',
  keyboard: 'M1.8 4.2h12.4v7.6H1.8V4.2Zm2.4 2.4h.1m2.4 0h.1m2.4 0h.1m2.4 0h.1M5 9.4h6',
  lock: 'M3.5 7.2h9v6.3h-9V7.2Zm2-.2V5a2.5 2.5 0 0 1 5 0v2',
  more: 'M3.5 8h.1M8 8h.1m4.4 0h.1',
  pause: 'M5.5 3.5v9m5-9v9',
  play: 'M5 3.2v9.6L12.8 8 5 3.2Z',
  plus: 'M8 3v10M3 8h10',
  refresh: 'M13 4v3h-3m2.7-.4A5 5 0 1 0 13 9.5',
  scheme: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-12v12',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14',
  send: 'M2.5 8 13.5 3 10 13.5 7.5 9 2.5 8Zm5 1 6-6',
  shield: 'M8 1.8 13 4v4c0 3-2.1 5.2-5 6.2C5.1 13.2 3 11 3 8V4l5-2.2Z',
  stop: 'M4 4h8v8H4V4Z',
  tag: 'M2.5 2.5h5l6 6-5 5-6-6v-5ZM5 5h.1',
  trash: 'M3 4.5h10M6.2 4.3V2.7h3.6v1.6m-5.3.2.6 8.8h5.8l.6-8.8',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** Shows an icon beside words. It is hidden from screen readers, so the words must say the same. */
export function Icon({ name }: { readonly name: IconName }): ReactElement {
  const width = name === 'more' ? 2.4 : 1.5;
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth={width}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

import type { ReactElement, Ref } from 'react';
import type { Row } from '../data/row.ts';
import { Icon } from '../design/icon.tsx';
import { STATUS_NAMES, statusWords } from '../design/status-badge.tsx';
import { type Filters, hasStatus, modelNames, type Sort, SORTS, tagFilters } from './filters.ts';

/** Properties of {@link FilterBar}. */
export interface FilterBarProps {
  /** All conversations, for the choices. */
  readonly rows: readonly Row[];
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  readonly searchInput: Ref<HTMLInputElement>;
}

/** At most so many tags are offered. */
const TAGS = 100;

/** Search and filters of the list. */
export function FilterBar({ rows, filters, onChange, searchInput }: FilterBarProps): ReactElement {
  const statuses = STATUS_NAMES.filter((name) => name === filters.status || rows.some((row) => hasStatus(row, name)));
  const set = (change: Partial<Filters>): void => onChange({ ...filters, ...change });
  return (
    <form className="filter-bar" role="search" onSubmit={(event) => event.preventDefault()}>
      <label className="filter-search">
        <span className="hidden">Search conversations</span>
        <Icon name="search" />
        <input
          ref={searchInput}
          className="input"
          type="search"
          placeholder="Search titles, tags, models, folders"
          value={filters.q}
          onChange={(event) => set({ q: event.target.value })}
        />
      </label>
      <Select
        label="Status"
        all="Any status"
        value={filters.status}
        choices={statuses.map((name) => [name, statusWords(name)])}
        onChange={(status) => set({ status })}
      />
      <Select
        label="Tag"
        all="Any tag"
        value={filters.tag}
        choices={withChosen(tagFilters(rows).slice(0, TAGS), filters.tag)}
        onChange={(tag) => set({ tag })}
      />
      <Select
        label="Model"
        all="Any model"
        value={filters.model}
        choices={withChosen(modelNames(rows), filters.model)}
        onChange={(model) => set({ model })}
      />
      <Select label="Order" value={filters.sort} choices={SORTS} onChange={(sort) => set({ sort: sort as Sort })} />
    </form>
  );
}

/** Returns names as choices; the chosen one is among them also when no conversation has it now. */
function withChosen(names: readonly string[], chosen: string): readonly (readonly [string, string])[] {
  const all = chosen === '' || names.includes(chosen) ? names : [chosen, ...names];
  return all.map((name) => [name, name]);
}

interface SelectProps {
  readonly label: string;
  /** The words for no filter. */
  readonly all?: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly onChange: (value: string) => void;
}

function Select({ label, all, value, choices, onChange }: SelectProps): ReactElement {
  return (
    <select
      className="input filter-select"
      aria-label={label}
      value={value}
      data-set={(all !== undefined && value !== '') || undefined}
      onChange={(event) => onChange(event.target.value)}
    >
      {all !== undefined && <option value="">{all}</option>}
      {choices.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** Item of the task list that the agent keeps. */
export interface Task {
  readonly title: string;
  readonly notes: string;
  readonly status: 'todo' | 'in_progress' | 'done';
}

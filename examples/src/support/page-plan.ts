/** Plan of a server of a page. Handed over to its process as JSON. */
export interface PagePlan {
  readonly port: number;
  /** The address of the model. */
  readonly model: string;
  /** The folder that the agent works in. */
  readonly workspace: string;
  /** The folder that holds the conversations. */
  readonly conversations: string;
  /** The folder with `page.html` and `page.js`. */
  readonly page: string;
}

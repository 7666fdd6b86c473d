import { Component, type ReactNode } from 'react';
import { explain } from '../data/explain.ts';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';

/** Properties of {@link ViewBoundary}. */
export interface ViewBoundaryProps {
  readonly children: ReactNode;
  /** The address of the view, or the elements of the panel. The view is tried again when it changes. */
  readonly place: unknown;
  /** `page` for a view that fills the page, which then has a heading without it, too. */
  readonly what: 'page' | 'panel';
}

/** Says that a view failed, where an error would leave an empty page. */
export class ViewBoundary extends Component<ViewBoundaryProps, { readonly failure: string | undefined }> {
  override readonly state: { readonly failure: string | undefined } = { failure: undefined };

  static getDerivedStateFromError(error: unknown): { readonly failure: string } {
    return { failure: explain(error) };
  }

  override componentDidUpdate({ place }: ViewBoundaryProps): void {
    if (place !== this.props.place && this.state.failure !== undefined) this.setState({ failure: undefined });
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    const { what } = this.props;
    return (
      <>
        {what === 'page' && <h1 className="hidden">Studio</h1>}
        <Empty
          title={what === 'page' ? 'This view failed' : 'This panel failed'}
          actions={
            <Button look="main" onClick={() => location.reload()}>
              Load the page again
            </Button>
          }
        >
          {failure} Stored data is not affected.
        </Empty>
      </>
    );
  }
}

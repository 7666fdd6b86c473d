import { Component, type ReactNode } from 'react';
import { explain } from '../data/explain.ts';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';

/** Properties of {@link ViewBoundary}. */
export interface ViewBoundaryProps {
  readonly children: ReactNode;
  /** The address of the view. Another one is tried when it changes. */
  readonly place: string;
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
    return (
      <>
        <h1 className="hidden">Studio</h1>
        <Empty
          title="This view failed"
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

import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';

/** Properties of {@link ViewBoundary}. */
export interface ViewBoundaryProps {
  readonly children: ReactNode;
}

/** Says that a view failed, where an error would leave an empty page. */
export class ViewBoundary extends Component<ViewBoundaryProps, { readonly failure: string | undefined }> {
  override readonly state = { failure: undefined };

  static getDerivedStateFromError(error: unknown): { readonly failure: string } {
    return { failure: error instanceof Error ? error.message : String(error) };
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
          {failure} What is stored is not affected.
        </Empty>
      </>
    );
  }
}

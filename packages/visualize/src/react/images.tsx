import type { ReactElement } from 'react';
import { visibleText } from '../text/plain-text.ts';

/** Shows images that are stored with an event. An image on a server is only named, because loading it would reveal its viewer. */
export function Images({ urls }: { readonly urls: readonly string[] }): ReactElement | null {
  if (urls.length === 0) return null;
  return (
    <ul className="conv-images">
      {urls.map((url, index) => (
        <li key={index}>
          {/^data:image\/(?:png|jpeg|gif|webp|avif);/.test(url) ? (
            <img src={url} alt={`Attached image ${index + 1}`} loading="lazy" />
          ) : (
            <span className="conv-quiet">image at {visibleText(url.slice(0, 200))}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

import type { ReactElement } from 'react';
import { visibleSegments } from '../format/visible-text.ts';

/** Text from a log: isolated from what surrounds it, with hidden characters named. */
export function VisibleText({ text }: { readonly text: string }): ReactElement {
  return (
    <bdi>
      {visibleSegments(text).map((segment, index) =>
        segment.isHidden ? (
          <span key={index} className="hidden-character" title="a character that does not show">
            {segment.text}
          </span>
        ) : (
          segment.text
        ),
      )}
    </bdi>
  );
}

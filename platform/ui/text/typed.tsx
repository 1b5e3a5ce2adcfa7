import type { ReactNode } from 'react';

interface TypedProps {
  /** A name, a message, a topic: whatever a person typed. */
  readonly children: ReactNode;
  readonly className?: string;
  /** The text is long, and has paragraphs of its own. */
  readonly as?: 'bdi' | 'p';
  /** Shown when a pointer rests on it. */
  readonly title?: string | undefined;
}

/**
 * A text that a person typed, isolated from what stands beside it: without this an Arabic name turns the `12 + 5`
 * behind it into `5 + 12`. `npm run tidy` finds where a name is shown without it.
 */
export function Typed({ children, as: Element = 'bdi', ...rest }: TypedProps) {
  return <Element dir="auto" {...rest}>{children}</Element>;
}

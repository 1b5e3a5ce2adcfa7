import type { ReactNode } from 'react';

interface TypedProps {
  /** A name, a message, a topic: whatever a person typed. */
  readonly children: ReactNode;
}

/**
 * A text that a person typed, isolated from what stands beside it: without this an Arabic name turns the
 * `12 + 5` behind it into `5 + 12`. `npm run tidy` finds where a name is shown without it.
 */
export function Typed({ children }: TypedProps) {
  return <bdi dir="auto">{children}</bdi>;
}

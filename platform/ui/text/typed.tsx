import type { ReactNode } from 'react';

interface TypedProps {
  /** Any text that a person typed: a name, a message, a topic. */
  readonly children: ReactNode;
}

/**
 * A text that a person typed, isolated from the text beside it: without this an Arabic name turns a following
 * `12 + 5` into `5 + 12`. `npm run tidy` finds names that are shown without it.
 */
export function Typed({ children }: TypedProps) {
  return <bdi dir="auto">{children}</bdi>;
}

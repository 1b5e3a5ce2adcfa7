import { createContext, useContext, type ReactElement } from 'react';

/**
 * The markup of a node that shows nothing but what its key names, in the language of the page: made at the
 * first time and then remembered. On the server alone.
 */
export type MarkupOf = (key: string, node: ReactElement) => string;

const MarkupContext = createContext<MarkupOf | null>(null);
/** Holds what the server makes documents with; a browser has none, and renders components. */
export const MarkupProvider = MarkupContext.Provider;

interface MadeOnceProps {
  readonly as: 'li' | 'nav';
  readonly className?: string;
  readonly 'aria-label'?: string;
  /**
   * Names everything the content is rendered from: two of the same text are the same markup, whoever looks.
   * Called on the server alone.
   */
  readonly of: () => string;
  /** Asks for no data and has no `useId`: on the server it stands outside of the document's tree. */
  readonly children: ReactElement;
}

/**
 * An element whose content is the same in many documents. The server puts in its markup; the browser renders
 * the content over it.
 */
export function MadeOnce({ as: Element, of, children, ...attributes }: MadeOnceProps) {
  const markupOf = useContext(MarkupContext);
  if (markupOf === null) return <Element {...attributes}>{children}</Element>;
  // React wrote it, and escaped every text in it.
  return <Element {...attributes} dangerouslySetInnerHTML={{ __html: markupOf(of(), children) }} />;
}

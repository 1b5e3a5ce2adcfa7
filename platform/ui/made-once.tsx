import { createContext, useContext, type ReactElement } from 'react';

/**
 * The markup of a node that depends only on its key and the page's language: rendered once and then cached.
 * On the server alone.
 */
export type MarkupOf = (key: string, node: ReactElement) => string;

const MarkupContext = createContext<MarkupOf | null>(null);
/** Set by the server that renders documents; a browser has none, and renders components. */
export const MarkupProvider = MarkupContext.Provider;

interface MadeOnceProps {
  readonly as: 'li' | 'nav';
  readonly className?: string;
  readonly 'aria-label'?: string;
  /**
   * Names everything the content depends on: equal names mean equal markup for every viewer. Called on the
   * server alone.
   */
  readonly of: () => string;
  /** Reads no data and has no `useId`: on the server it is rendered outside of the document's tree. */
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

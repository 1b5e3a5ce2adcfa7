import { createContext, useContext, type ReactNode } from 'react';

/** The name of the site, which follows the page's own title; the root provides it. */
const SiteName = createContext('');
export const SiteNameProvider = SiteName.Provider;

/** The whole title, where the route says it; null leaves it to the page. */
const HeadTitle = createContext<string | null>(null);
export const HeadTitleProvider = HeadTitle.Provider;

/** Title of the document. React puts it into the head, on the server and after a navigation. */
export function Title({ children }: { children: string }) {
  const site = useContext(SiteName);
  const whole = useContext(HeadTitle);
  if (whole !== null) return <title>{whole}</title>;
  return <title>{site ? `${children} · ${site}` : children}</title>;
}

/**
 * The one `h1` of a page. The shell focuses it after a navigation, so that screen readers read out which page
 * it is.
 */
export function Heading({ children, hidden }: { children: ReactNode; hidden?: boolean }) {
  return <h1 tabIndex={-1} className={hidden ? 'sr-only' : 'text-xl font-bold text-balance'}>{children}</h1>;
}

interface PageProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

/** A page of one column, for forms. @param heading the title with its own line breaks */
export function Narrow({ title, heading = title, lead, children }: PageProps & { heading?: ReactNode }) {
  return (
    <div className="mx-auto w-full max-w-md px-4 py-8 sm:py-12">
      <Title>{title}</Title>
      <Heading>{heading}</Heading>
      {lead ? <p className="mt-2 text-muted">{lead}</p> : null}
      <div className="mt-6">{children}</div>
    </div>
  );
}

/** A page of tables and lists. */
export function Wide({ title, lead, children }: PageProps) {
  return (
    <div className="mx-auto w-full max-w-6xl px-4 py-6">
      <Title>{title}</Title>
      <Heading>{title}</Heading>
      {lead ? <p className="mt-1 text-sm text-muted">{lead}</p> : null}
      <div className="mt-6">{children}</div>
    </div>
  );
}

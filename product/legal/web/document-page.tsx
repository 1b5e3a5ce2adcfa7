import { useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLocation } from 'react-router';
import { getImprint } from '../client.ts';
import { DocumentText } from './document-text.tsx';

const load = routeData({ texts: ['legal'], always: true, reads: () => [read(getImprint, {})] });
export { load as clientLoader, load as loader };
/** Readable before the entry gate, since people must be able to read the terms that apply behind it. */
export const handle = { always: true };

/** The page of one document: /terms, /privacy. */
export default function DocumentPage() {
  const { t } = useTranslation('legal');
  const name = useLocation().pathname === '/privacy' ? 'privacy' : 'terms';
  const { site = '', company = '' } = useRead(getImprint, {}).data ?? {};
  return (
    <Wide title={t(`${name}.title`)} lead={t(`${name}.lead`, { site, company })}>
      <DocumentText name={name} />
    </Wide>
  );
}

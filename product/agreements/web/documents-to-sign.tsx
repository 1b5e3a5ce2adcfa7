import { useRead } from '#platform/ui/calls/calls.ts';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link } from 'react-router';
import { listLegalDocuments } from '../client.ts';
import { DocumentLines } from './document-lines.tsx';

/** What waits for a person’s signature, above their settings; only the way to their documents without any. */
export function DocumentsToSign() {
  const { t } = useTranslation('agreements');
  const read = useRead(listLegalDocuments, { open: true });
  const documents = read.data?.documents ?? [];
  return (
    <>
      <ReadError read={read} failed={t('own.failed')} />
      {documents.length === 0
        ? null
        : (
          <Card className="p-4 sm:p-6">
            <section aria-labelledby="documents-to-sign">
              <h2 id="documents-to-sign" className="mb-4 text-lg font-bold">{t('own.toSign')}</h2>
              <DocumentLines label={t('own.toSign')} documents={documents} />
            </section>
          </Card>
        )}
      <Link
        to="/account/documents"
        className="inline-flex min-h-11 items-center self-start text-link hover:underline"
      >
        {t('document.all')}
      </Link>
    </>
  );
}

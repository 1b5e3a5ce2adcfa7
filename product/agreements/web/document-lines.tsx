import type { OutputOf } from '#platform/contract/call.ts';
import { Pill, type PillTone } from '#platform/ui/surfaces/card.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ChevronRight } from 'lucide-react';
import { Link } from 'react-router';
import type { listLegalDocuments } from '../client.ts';
import type { DocumentStatus } from '../rules.ts';

type Line = OutputOf<typeof listLegalDocuments>['documents'][number];

export const STATUS_TONES: Readonly<Record<DocumentStatus, PillTone>> = {
  open: 'warning',
  signed: 'online',
  expired: 'quiet',
  withdrawn: 'quiet',
};

/** A person’s documents; each leads to its page. */
export function DocumentLines({ label, documents }: {
  readonly label: string;
  readonly documents: readonly Line[];
}) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-card border border-line bg-surface">
      {documents.map((line) => (
        <li key={line.id}>
          <OneLine line={line} />
        </li>
      ))}
    </ul>
  );
}

function OneLine({ line: { id, title, status, issued_at: issued, signed_at: signed, expires_at: until } }: {
  readonly line: Line;
}) {
  const { t } = useTranslation('agreements');
  const [text, at] = status === 'open'
    ? [t('document.signBy'), until] as const
    : signed
    ? [t('document.signedAt'), signed] as const
    : [t('own.issued'), issued] as const;
  return (
    <Link
      to={`/legal/document/${id}`}
      className="flex min-h-16 items-center gap-3 px-4 py-3 -outline-offset-2 hover:bg-raised"
    >
      <span className="min-w-0 grow">
        <span className="block font-medium wrap-anywhere">
          <Typed>{title}</Typed>
        </span>
        <span className="mt-1 block text-sm text-muted">
          {text} <Moment at={at} show="day" />
        </span>
      </span>
      <span className="shrink-0 whitespace-nowrap">
        <Pill tone={STATUS_TONES[status]}>{t(`status.${status}`)}</Pill>
      </span>
      <ChevronRight size={20} aria-hidden className="shrink-0 text-muted" />
    </Link>
  );
}

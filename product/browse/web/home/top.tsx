import { Pill, VisuallyHidden } from '#platform/ui/surfaces/card.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Eye } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { HomeSectionView } from '../../contract/home.ts';
import type { Entry } from '../tile.tsx';
import { Row, RowSkeleton } from './row.tsx';

/** The featured show and the first row are side by side on desktops, one below the other on phones. */
const FRAME = 'grid gap-x-6 gap-y-1 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]';

interface TopProps {
  readonly featured: Entry | null;
  readonly section: HomeSectionView | null;
  /** Placed at the end of the first line. */
  readonly action: ReactNode;
}

/** The top of the home page: the featured show and a first row. */
export function Top({ featured, section, action }: TopProps) {
  if (!featured) return <div className="flex justify-end">{action}</div>;
  return (
    <div className={FRAME}>
      <Featured entry={featured} action={action} />
      {section ? <Row section={section} eager /> : null}
    </div>
  );
}

export function TopSkeleton() {
  return (
    <div className={FRAME}>
      <Skeleton className="mt-9 aspect-video rounded-card lg:aspect-auto" />
      <RowSkeleton />
    </div>
  );
}

/** The first performer of the ranking, with reasons. */
function Featured({ entry, action }: { readonly entry: Entry; readonly action: ReactNode }) {
  const { t } = useTranslation('browse');
  const headingId = useId();
  const src = entry.liveThumbUrl ?? entry.thumbUrl;
  return (
    <section aria-labelledby={headingId} className="flex min-w-0 flex-col gap-1">
      <div className="flex min-h-11 items-center justify-between gap-3 pointer-fine:min-h-8">
        <h2 id={headingId} className="min-w-0 truncate text-base font-bold">{t('home.featured')}</h2>
        {action}
      </div>
      <Link
        to={`/${entry.username}`}
        className="group relative block aspect-video grow overflow-hidden rounded-card bg-raised
          outline-offset-2 lg:aspect-auto lg:min-h-34"
      >
        {src === null
          ? null
          : (
            <img
              src={src}
              alt=""
              width={480}
              height={360}
              decoding="async"
              loading="eager"
              fetchPriority="high"
              className="absolute inset-0 size-full object-cover"
            />
          )}
        <span className="absolute top-2 left-2">
          <Pill tone="live">{t('state.live')}</Pill>
        </span>
        <Texts entry={entry} />
      </Link>
    </section>
  );
}

function Texts({ entry: { displayName, subjectText, viewerCount, reasons } }: { readonly entry: Entry }) {
  const { t, i18n } = useTranslation('browse');
  const viewers = formatCount(viewerCount, i18n.language);
  const list = new Intl.ListFormat(i18n.language, { type: 'unit' });
  return (
    <span className="absolute inset-x-0 bottom-0 flex flex-col gap-0.5 bg-linear-to-t from-black/90
      via-black/65 via-60% to-transparent px-3 pt-10 pb-3 text-white">
      <span className="flex items-center justify-between gap-2">
        <span className="truncate text-lg font-bold">
          <Typed>{displayName}</Typed>
        </span>
        <span className="tabular inline-flex shrink-0 items-center gap-1 text-sm font-medium">
          <Eye size={16} aria-hidden />
          <span aria-hidden>{viewers}</span>
          <VisuallyHidden>{t('viewers', { amount: viewers })}</VisuallyHidden>
        </span>
      </span>
      {subjectText === '' ? null : (
        <span className="truncate text-sm">
          <Typed>{subjectText}</Typed>
        </span>
      )}
      {reasons.length === 0 ? null : (
        <span className="text-xs text-white/85">
          {t('home.why', { reasons: list.format(reasons.map((reason) => t(`home.reason.${reason}`))) })}
        </span>
      )}
    </span>
  );
}

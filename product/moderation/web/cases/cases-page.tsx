import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { read, readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Inbox } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { getCase, listCases, listQueues } from '../../client.ts';
import type { CaseLineView, QueueViewOf } from '../../contract/cases.ts';
import { OneCase } from './one-case.tsx';

const caseIn = (search: URLSearchParams): number | null => {
  const id = Number(search.get('case'));
  return Number.isInteger(id) && id > 0 ? id : null;
};
const wanted = {
  texts: ['moderation'],
  always: true,
  member: true,
  reads: ({ request }: { request: Request }) => {
    const id = caseIn(new URL(request.url).searchParams);
    return id === null ? [read(listQueues, {}), readPages(listCases, {})] : [read(getCase, { id })];
  },
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** /admin/cases: the queues and their cases, or with `?case=` one of them. */
export default function CasesPage() {
  const { t } = useTranslation('moderation');
  const [search] = useSearchParams();
  const id = caseIn(search);
  return (
    <Wide
      title={id === null ? t('cases.title') : t('cases.one', { id })}
      lead={id === null ? t('cases.lead') : ''}
    >
      {id === null ? <Queues /> : <OneCase key={id} id={id} />}
    </Wide>
  );
}

function Queues() {
  const { t } = useTranslation('moderation');
  const [queue, setQueue] = useState<number | null>(null);
  const [closed, setClosed] = useState(false);
  const queues = useRead(listQueues, {});
  return (
    <div className="flex flex-col gap-4">
      <Loaded read={queues} height="h-24">
        {(answer) => (
          <ul aria-label={t('cases.queues')} className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {answer.queues.map((item, position) => (
              <li key={item.name}>
                <OneQueue
                  queue={item}
                  isChosen={position === queue}
                  onChoose={() => setQueue(position === queue ? null : position)}
                />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Checkbox
        label={t('cases.closed')}
        checked={closed}
        onChange={({ target }) => setClosed(target.checked)}
      />
      <Cases queue={queue} closed={closed} />
    </div>
  );
}

function OneQueue(
  { queue, isChosen, onChoose }: { queue: QueueViewOf; isChosen: boolean; onChoose: () => void },
) {
  const { t } = useTranslation('moderation');
  return (
    <Card className="flex h-full flex-col gap-2 p-4">
      <h2 className="font-bold">
        <Typed>{queue.name}</Typed>
      </h2>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        {queue.oldest_at === null
          ? t('cases.noneWaits')
          : <span className="tabular">{t('cases.waiting', { count: queue.waiting })}</span>}
        {queue.escalated > 0
          ? <Pill tone="warning">{t('cases.escalatedCount', { count: queue.escalated })}</Pill>
          : null}
      </p>
      {queue.oldest_at === null ? null : (
        <p className="text-sm text-muted">
          {t('cases.oldest')} <RelativeTime at={queue.oldest_at} />
        </p>
      )}
      <p className="text-sm text-muted">
        {queue.handling_hours === null
          ? t('cases.noHandling')
          : t('cases.handling', { hours: queue.handling_hours })}
      </p>
      <div className="mt-auto">
        <Button aria-pressed={isChosen} onClick={onChoose}>
          {isChosen ? t('cases.showAll') : t('cases.show', { name: queue.name })}
        </Button>
      </div>
    </Card>
  );
}

function Cases({ queue, closed }: { queue: number | null; closed: boolean }) {
  const { t } = useTranslation('moderation');
  const pages = useReadPages(listCases, {
    ...(queue === null ? {} : { queue }),
    ...(closed ? { closed } : {}),
  });
  const { data, error, refetch } = pages;
  const cases = data?.pages.flatMap((page) => page.cases);
  if (error && !cases) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  if (!cases) return <Skeleton className="h-64" />;
  if (cases.length === 0) {
    return (
      <EmptyState
        icon={<Inbox size={28} aria-hidden />}
        text={t(closed ? 'cases.emptyClosed' : 'cases.empty')}
      />
    );
  }
  return (
    <>
      <ul aria-label={t('cases.title')} className="flex flex-col gap-3">
        {cases.map((item) => (
          <li key={item.id}>
            <CaseLine item={item} />
          </li>
        ))}
      </ul>
      <MorePages read={pages} className="py-4" />
    </>
  );
}

function CaseLine({ item }: { item: CaseLineView }) {
  const { t } = useTranslation('moderation');
  return (
    <Card className="flex flex-wrap items-center gap-x-4 gap-y-2 p-4">
      <div className="min-w-0 grow basis-64">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-bold">{t(`caseReasons.${item.reason}`)}</span>
          <span className="text-sm text-muted">{t(`caseKinds.${item.kind}`)}</span>
          {item.is_escalated ? <Pill tone="warning">{t('cases.escalated')}</Pill> : null}
          {item.status === 'appealed' ? <Pill tone="private">{t('cases.appealed')}</Pill> : null}
        </p>
        <p className="mt-1 text-sm text-muted">
          {item.username === null ? t('cases.nobodyKnown') : `@${item.username}`}
          {' · '}
          <RelativeTime at={item.opened_at} />
          {item.due_at === null ? null : (
            <>
              {' · '}
              {t('cases.due')} <RelativeTime at={item.due_at} />
            </>
          )}
          {item.claimed_by === null ? null : ` · ${t('cases.claimedBy', { name: item.claimed_by })}`}
        </p>
      </div>
      <ButtonLink to={`/admin/cases?case=${item.id}`}>{t('cases.open', { id: item.id })}</ButtonLink>
    </Card>
  );
}

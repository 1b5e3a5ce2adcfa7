import { keyOf } from '#platform/text/message-keys.ts';
import { problemOf } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { listPolicyHistory } from '../../client.ts';
import type { PolicyView } from '../../contract/policies.ts';
import { AskedList, Day, Origin } from './policy-parts.tsx';
import { usePlaceName } from './words.ts';

/** Every row that a place ever had or was proposed for. */
export function HistoryDialog({ region, onClose }: { region: string; onClose: () => void }) {
  const { t } = useTranslation('compliance');
  const nameOf = usePlaceName();
  const read = useReadPages(listPolicyHistory, { region });
  const { data, error, refetch } = read;
  const policies = data?.pages.flatMap((page) => page.policies);
  const seeds = data?.pages[0]?.seeds ?? [];
  return (
    <Dialog title={t('regions.historyOf', { place: nameOf(region) })} onClose={onClose}>
      {error && !policies
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : !policies
        ? <Skeleton className="h-64" />
        : (
          <>
            <ol className="flex flex-col divide-y divide-line">
              {[...policies, ...seeds].map((policy) => (
                <li key={policy.id ?? policy.from} className="py-4 first:pt-0">
                  <Past policy={policy} />
                </li>
              ))}
            </ol>
            {policies.length + seeds.length === 0
              ? <p className="text-muted">{t('regions.historyEmpty')}</p>
              : null}
            <MorePages read={read} className="py-2" />
          </>
        )}
    </Dialog>
  );
}

function Past({ policy }: { policy: PolicyView }) {
  const { t } = useTranslation('compliance');
  const { state, from, until, decided_reason: reason, withdrawn_reason: withdrawn, decided_at: at } = policy;
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Pill tone={state === 'approved' ? 'online' : 'quiet'}>
          {t(keyOf('compliance', 'regions.states', state))}
        </Pill>
        <span>
          <Day day={from} />
          {until === null ? null : (
            <>
              – <Day day={until} />
            </>
          )}
        </span>
        {at === null ? null : <RelativeTime at={at} />}
      </p>
      <AskedList asked={policy} />
      <Origin policy={policy} />
      {[reason, withdrawn].filter((text) => text !== null).map((text) => (
        <p key={text} className="text-sm wrap-anywhere text-muted">
          <Typed>{text}</Typed>
        </p>
      ))}
    </div>
  );
}

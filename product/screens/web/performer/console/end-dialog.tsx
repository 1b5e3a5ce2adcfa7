import type { OutputOf } from '#platform/contract/call.ts';
import { queryKeyOf, useAction, useCache } from '#platform/ui/calls/calls.ts';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { endBroadcast, getOwnBroadcast } from '#product/broadcast/client.ts';
import type { Publishing } from '#product/broadcast/web/publish/publisher.ts';
import { lazy, Suspense } from 'react';

const EndingShows = lazy(() => import('#product/shows/web/private/performer/ending-shows.tsx'));

/** The result of ending a broadcast on this page. */
export type Ended = OutputOf<typeof endBroadcast>;

interface EndDialogProps {
  readonly own: OutputOf<typeof getOwnBroadcast>;
  readonly publishing: Publishing;
  readonly onOver: (isOver: boolean) => void;
  readonly onEnded: (ended: Ended) => void;
  readonly onClose: () => void;
}

/** Asks before the end, and names the people and shows that it ends. */
export function EndDialog({ own, publishing, onOver, onEnded, onClose }: EndDialogProps) {
  const { t } = useTranslation('screens');
  const cache = useCache();
  const end = useAction(endBroadcast);
  // Unknown until the stream is measured, and again while it is interrupted.
  const viewers = own.health?.viewers ?? null;
  const confirm = async () => {
    onOver(true);
    const done = await end.run({});
    onOver(done !== null);
    // An encoder stays on the air until the server ends it: on an error the dialog stays and shows it.
    if (done === null) return;
    publishing.stop();
    onEnded(done);
    await cache.invalidateQueries({ queryKey: queryKeyOf(getOwnBroadcast) });
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('live.endTitle')}
      accept={t('live.end')}
      reject={t('live.stay')}
      tone="danger"
      busy={end.busy}
      onAccept={() => void confirm()}
      onReject={onClose}
    >
      {viewers === null
        ? null
        : <p>{viewers === 0 ? t('live.endNobody') : t('live.endText', { count: viewers })}</p>}
      <Suspense>
        <EndingShows />
      </Suspense>
      <FormError problem={end.problem} />
    </ConfirmDialog>
  );
}

import type { OutputOf } from '#platform/contract/call.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, FormError } from '#platform/ui/surfaces/states.tsx';
import { clockText } from '#platform/ui/text/measures.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getWatchable, watchTogether } from '../../client.ts';
import { showWatched } from './live.ts';

type Watchable = OutputOf<typeof getWatchable>['recordings'][number];

/** The performer's public recordings to choose from; a chosen one starts at once. */
export function ChooseVideo({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('shows');
  const read = useReadPages(getWatchable, {});
  const watch = useAction(watchTogether, showWatched);
  const choose = async (id: number) => {
    if (await watch.run({ id, position_ms: 0, is_playing: true })) onClose();
  };
  return (
    <Dialog title={t('watch.chooseTitle')} onClose={onClose}>
      <p className="pb-4 text-sm text-muted">{t('watch.chooseLead')}</p>
      <FormError problem={watch.problem} />
      <Loaded read={read} height="h-48">
        {({ pages }) => {
          const recordings = pages.flatMap((page) => page.recordings);
          if (recordings.length === 0) {
            return (
              <EmptyState
                text={t('watch.none')}
                action={<ButtonLink to="/account/recordings">{t('watch.toRecordings')}</ButtonLink>}
              />
            );
          }
          return (
            <>
              <ul aria-label={t('watch.recordings')} className="flex flex-col gap-2">
                {recordings.map((item) => (
                  <li key={item.id}>
                    <Button wide busy={watch.busy} onClick={() => void choose(item.id)}>
                      <Name recording={item} />
                    </Button>
                  </li>
                ))}
              </ul>
              <MorePages read={read} />
            </>
          );
        }}
      </Loaded>
    </Dialog>
  );
}

/** Topic, or date and time, with the length. */
function Name({ recording: { title, started_at: startedAt, seconds } }: { readonly recording: Watchable }) {
  const { t, i18n } = useTranslation('shows');
  const at = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' })
    .format(new Date(startedAt));
  return (
    <>
      <span className="min-w-0 grow text-start break-words">
        {title === '' ? t('watch.of', { at }) : title}
      </span>
      <span className="tabular font-normal text-muted">{clockText(seconds)}</span>
    </>
  );
}

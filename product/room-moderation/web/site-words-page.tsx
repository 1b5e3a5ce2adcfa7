import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense } from 'react';
import { getSiteChatRules, setSiteChatRules } from '../client.ts';
import { MAX_SITE_WORDS } from '../rules.ts';

/** Loaded on demand, so that the list of pages, which everybody loads, does not reference its files. */
const Words = lazy(async () => ({ default: (await import('./panel/rules-form.tsx')).Words }));

const wanted = {
  texts: ['room-moderation'],
  member: true,
  always: true,
  reads: () => [read(getSiteChatRules, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** The page of words blocked in every room of the site. */
export default function SiteWordsPage() {
  const { t } = useTranslation('room-moderation');
  const toast = useToast();
  const { data, error, refetch } = useRead(getSiteChatRules, {});
  const { run, busy, problem } = useAction(setSiteChatRules);
  const save = async (blocked_words: string[]) => {
    if (await run({ blocked_words }) === null) return;
    await refetch();
    toast(t('web.saved'), 'success');
  };
  return (
    <Wide title={t('web.site.title')} lead={t('web.site.lead')}>
      {error && !data ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} /> : null}
      {data
        ? (
          <Card className="flex max-w-2xl flex-col gap-4 p-4">
            <Suspense fallback={<Skeleton className="h-48" />}>
              <Words
                words={data.blocked_words}
                max={MAX_SITE_WORDS}
                busy={busy}
                onSave={(words) => void save(words)}
              />
            </Suspense>
            <FormError problem={problem} />
          </Card>
        )
        : null}
    </Wide>
  );
}

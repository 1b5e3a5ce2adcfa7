import { routeData } from '#platform/ui/calls/route.ts';
import { Title } from '#platform/ui/surfaces/page.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useParams } from 'react-router';
import { GoalProgress } from '../room/goal-bar.tsx';
import { useOverlay, type Alert } from './live.ts';

/** A document of its own for a browser source: outside the entry gate, without a layout. */
export const handle = { always: true, alone: true };
const load = routeData({ texts: ['tips'], always: true });
export { load as clientLoader, load as loader };

/** Tips and the goal over a performer's video in OBS. */
export default function OverlayPage() {
  const { t } = useTranslation('tips');
  const { data, alert, isGone, read } = useOverlay(useParams()['token'] ?? '');
  return (
    <main
      data-overlay
      aria-busy={read.isLoading || undefined}
      className="flex h-dvh flex-col justify-between overflow-hidden p-6"
    >
      <Title>{t('overlay.pageTitle', { name: data?.performer ?? '' })}</Title>
      <h1 className="sr-only">{t('overlay.pageTitle', { name: data?.performer ?? '' })}</h1>
      <div aria-live="polite" className="flex justify-center">
        {isGone ? <p className="rounded-card bg-surface px-6 py-4">{t('overlay.gone')}</p> : null}
        {isGone || data || !read.error ? null : (
          <div className="rounded-card bg-surface px-6 py-4">
            <ReadError read={read} />
          </div>
        )}
        {alert && !isGone ? <AlertCard key={alert.effect_id} alert={alert} /> : null}
      </div>
      {data?.goal && !isGone
        ? (
          <section aria-label={t('goal.title')} className="flex max-w-xl rounded-card bg-surface px-6 py-4">
            <GoalProgress goal={data.goal} tall />
          </section>
        )
        : null}
    </main>
  );
}

function AlertCard({ alert }: { alert: Alert }) {
  const { t } = useTranslation('tips');
  const name = alert.sender_name ?? t('anonymousName');
  return (
    <div
      data-alert={alert.effect_id}
      className="flex max-w-2xl animate-[rise_400ms_var(--ease-out)] flex-col items-center gap-2 rounded-card
        border-2 border-pink bg-surface px-8 py-5 text-center shadow-float"
    >
      <p className="text-lg font-medium break-words">
        {alert.title ? t('overlay.ordered', { name, title: alert.title }) : t('overlay.tipped', { name })}
      </p>
      <TokenAmount tokens={alert.tokens} className="text-2xl font-bold" />
      {alert.comment
        ? (
          <p className="break-words text-muted">
            <Typed>{alert.comment}</Typed>
          </p>
        )
        : null}
    </div>
  );
}

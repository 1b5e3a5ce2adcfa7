import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { keyOf } from '#platform/text/message-keys.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { useWhileAway } from '#platform/ui/calls/live.ts';
import { Tabs } from '#platform/ui/controls/tabs.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { getTipTools } from '../../client.ts';
import { useTipToolsEvents } from '../live.ts';
import { GoalProgress } from '../room/goal-bar.tsx';
import { EffectList } from './effect-list.tsx';
import { GoalEditor } from './goal-editor.tsx';

const MenuEditor = lazy(() => import('./menu-editor.tsx'));
const OverlaySettings = lazy(() => import('./overlay-settings.tsx'));

interface TipToolsProps {
  readonly lobby: Connection | null;
  readonly username: string;
  /** Before the show: the tools to prepare it, without results. */
  readonly isPreparing?: boolean;
}

/** A performer's tip tools: orders, goals, the menu, the overlay. */
export default function TipTools({ lobby, username, isPreparing = false }: TipToolsProps) {
  const { t, i18n } = useTranslation('tips');
  const [open, setOpen] = useState(isPreparing ? 'menu' : 'effects');
  const { data: tools, error, refetch } = useRead(getTipTools, {}, useWhileAway(lobby));
  useTipToolsEvents(lobby, username);
  if (!tools) {
    return error
      ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
      : <Skeleton className="h-48" />;
  }
  const { tokens, tips } = tools.today;
  const tab = (key: string, panel: ReactNode) => ({
    key,
    text: t(keyOf('tips', 'tools.tab', key)),
    panel: (
      <div className="pt-3">
        <Suspense fallback={<Skeleton className="h-32" />}>{panel}</Suspense>
      </div>
    ),
  });
  const tabs = {
    effects: tab('effects', <EffectList />),
    goals: tab('goals', <GoalEditor goals={tools.goals} />),
    menu: tab('menu', <MenuEditor menu={tools.menu} />),
    overlay: tab('overlay', <OverlaySettings madeAt={tools.overlay_made_at} />),
  };
  if (isPreparing) {
    return <Tabs label={t('tools.title')} current={open} onChange={setOpen} tabs={[tabs.menu, tabs.goals]} />;
  }
  const running = tools.goals.find(({ state }) => state === 'running');
  return (
    <section aria-label={t('tools.title')} className="flex flex-col gap-3">
      <div className="-my-3 flex items-center justify-between gap-3">
        <h2 className="text-sm text-muted">{t('tools.today')}</h2>
        <Link to="/account/tips" className="inline-flex min-h-11 items-center text-sm text-link underline">
          {t('tools.history')}
        </Link>
      </div>
      {/* In one row if it is wide enough, so that the first orders are visible below. */}
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <p className="flex items-baseline gap-3">
          <TokenAmount tokens={tokens} className="text-xl font-bold" />
          <span className="tabular text-sm text-muted">
            {t('tools.tips', { count: tips, amount: formatCount(tips, i18n.language) })}
          </span>
        </p>
        {running && open !== 'goals'
          ? (
            <div className="flex min-w-0 grow basis-60">
              <GoalProgress goal={running} />
            </div>
          )
          : null}
      </div>
      <Tabs
        label={t('tools.title')}
        current={open}
        onChange={setOpen}
        tabs={[tabs.effects, tabs.goals, tabs.menu, tabs.overlay]}
      />
    </section>
  );
}

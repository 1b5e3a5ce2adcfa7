import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { Target } from 'lucide-react';
import type { GoalView } from '../../contract/goals.ts';
import { useTipRoom, useTipRoomEvents } from '../live.ts';

/** The progress of a goal, as a bar with its numbers. */
export function GoalProgress({ goal, tall = false }: { goal: GoalView; tall?: boolean }) {
  const { t, i18n } = useTranslation('tips');
  const [progress, target] = [goal.progress, goal.target].map((value) => formatCount(value, i18n.language));
  const text = t('goal.progress', {
    count: goal.target,
    progress: progress ?? '',
    target: target ?? '',
  });
  return (
    <div className="flex min-w-0 grow flex-col gap-1">
      <p className="flex items-baseline justify-between gap-3 text-sm">
        <span className="truncate font-medium">
          <Typed>{goal.title}</Typed>
        </span>
        <span className="tabular shrink-0 text-xs text-muted">{text}</span>
      </p>
      <div
        role="progressbar"
        aria-label={goal.title}
        aria-valuemin={0}
        aria-valuemax={goal.target}
        aria-valuenow={goal.progress}
        aria-valuetext={text}
        className={`overflow-hidden rounded-full bg-raised ${tall ? 'h-3' : 'h-1.5'}`}
      >
        <div
          className="h-full rounded-full bg-pink transition-[width]"
          style={{ width: `${(goal.progress / goal.target) * 100}%` }}
        />
      </div>
    </div>
  );
}

/** The running goal of a room, for everybody in it; nothing without one. */
export default function GoalBar({ link: { username, connection } }: Pick<PagePartProps, 'link'>) {
  const { t } = useTranslation('tips');
  const toast = useToast();
  const { data } = useTipRoom(username);
  const me = useMe()?.user.username;
  useTipRoomEvents(connection, username, {
    reached: (goals) => {
      const last = goals.at(-1);
      if (last) toast(t('goal.reached', { title: last.title }), 'success');
    },
    // People who promised to pay are notified that they will not, even with the panel closed.
    overtaken: ({ reason, splitters }) => {
      if (me !== undefined && splitters.includes(me)) toast(t(`split.reason.${reason ?? 'timeout'}`));
    },
  });
  if (!data?.goal) return null;
  return (
    <section
      aria-label={t('goal.title')}
      className="flex shrink-0 items-center gap-3 border-b border-line px-4 py-2 phone-landscape:hidden
        max-lg:group-data-keyboard:hidden"
    >
      <Target size={20} aria-hidden className="shrink-0 text-accent" />
      <GoalProgress goal={data.goal} />
    </section>
  );
}

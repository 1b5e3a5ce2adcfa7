import { formatCount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntil } from '#platform/ui/time/countdown.ts';
import type { PublicGroupGoalView } from '../../contract/group-goal.ts';
import { Clock, Cost, Figure } from '../private/amounts.tsx';

/** The progress of a group goal, what is missing, and the time left to reach it. */
export function GroupGoalProgress({ goal, own = 0 }: { goal: PublicGroupGoalView; own?: number }) {
  const { t, i18n } = useTranslation('shows');
  const left = useSecondsUntil(Date.parse(goal.ends_at));
  const [progress, tokens] = [goal.progress, goal.tokens].map((count) => formatCount(count, i18n.language));
  const text = t('goal.progress', { progress: progress ?? '', tokens: tokens ?? '' });
  return (
    <div className="flex flex-col gap-2">
      <p className="min-w-0 font-medium break-words">
        <Typed>{goal.title}</Typed>
      </p>
      <div
        role="progressbar"
        aria-label={goal.title}
        aria-valuemin={0}
        aria-valuemax={goal.tokens}
        aria-valuenow={goal.progress}
        aria-valuetext={text}
        className="h-3 overflow-hidden rounded-full bg-raised"
      >
        <div
          className="h-full rounded-full bg-pink transition-[width] motion-reduce:transition-none"
          style={{ width: `${(goal.progress / goal.tokens) * 100}%` }}
        />
      </div>
      <p className="tabular text-sm">{text}</p>
      <dl className="flex flex-wrap gap-x-6 gap-y-2">
        <Figure name={t('goal.left')}>
          <Clock seconds={left} />
        </Figure>
        <Figure name={t('goal.missing')}>
          <Cost tokens={goal.tokens - goal.progress} />
        </Figure>
        {own > 0
          ? (
            <Figure name={t('goal.own')}>
              <Cost tokens={own} />
            </Figure>
          )
          : null}
      </dl>
    </div>
  );
}

import { useAction } from '#platform/ui/calls/calls.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { keepDigits, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { X } from 'lucide-react';
import { useState } from 'react';
import { addGoal, endGoal } from '../../client.ts';
import type { OwnGoalView } from '../../contract/goals.ts';
import { MAX_GOAL_TOKENS, MAX_TITLE_LENGTH } from '../../rules.ts';
import { showGoals } from '../live.ts';
import { GoalProgress } from '../room/goal-bar.tsx';

const isGoal = (tokens: number): boolean =>
  Number.isSafeInteger(tokens) && tokens >= 1 && tokens <= MAX_GOAL_TOKENS;

/** The goals of a room, one after the other. */
export function GoalEditor({ goals }: { goals: readonly OwnGoalView[] }) {
  const { t, i18n } = useTranslation('tips');
  const end = useAction(endGoal, showGoals);
  const [title, setTitle] = useState('');
  const [target, setTarget] = useState('500');
  const range = t('goals.range', { max: formatCount(MAX_GOAL_TOKENS, i18n.language) });
  const isTarget = isGoal(Number(target));
  const add = useForm(addGoal, {
    shape: async () => (await import('../../contract/goals.ts')).addGoal,
    read: (fields) => ({ title: textOf(fields, 'title'), target: Number(textOf(fields, 'target')) }),
    check: (
      { target: tokens },
    ): Readonly<Record<string, string>> => (isGoal(tokens) ? {} : { target: range }),
    applied: showGoals,
    onDone: () => setTitle(''),
  });
  const fields = { title: add.field('title'), target: add.field('target') };
  return (
    <div className="flex flex-col gap-4">
      {goals.length === 0
        ? <p className="text-sm text-muted">{t('goals.empty')}</p>
        : (
          <ul className="divide-y divide-line" aria-label={t('tools.tab.goals')}>
            {goals.map((goal) => (
              <li key={goal.id} className="flex items-center gap-2 py-2">
                <div className="flex min-w-0 grow flex-col gap-1">
                  <span className="text-xs text-muted">{t(`goals.${goal.state}`)}</span>
                  {goal.state === 'running'
                    ? <GoalProgress goal={goal} />
                    : (
                      <p className="flex justify-between gap-3 text-sm">
                        <span className="min-w-0 break-words">
                          <Typed>{goal.title}</Typed>
                        </span>
                        <TokenAmount tokens={goal.target} className="shrink-0" />
                      </p>
                    )}
                </div>
                <IconButton
                  label={t('goals.end', { title: goal.title })}
                  disabled={end.busy}
                  onClick={() => void end.run({ id: goal.id })}
                >
                  <X size={18} aria-hidden />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
      <form {...add.props} className="flex flex-col gap-3">
        <TextField
          {...fields.title}
          label={t('goals.name')}
          autoComplete="off"
          maxLength={MAX_TITLE_LENGTH}
          value={title}
          onChange={(typed) => {
            setTitle(typed.target.value);
            fields.title.onChange(typed);
          }}
        />
        <TextField
          {...fields.target}
          label={t('goals.target')}
          inputMode="numeric"
          autoComplete="off"
          value={target}
          error={isTarget ? fields.target.error : range}
          onInput={keepDigits}
          onChange={(typed) => {
            setTarget(typed.target.value);
            fields.target.onChange(typed);
          }}
        />
        <FormError problem={add.problem ?? end.problem} />
        <Button type="submit" wide busy={add.busy}>{t('goals.add')}</Button>
      </form>
    </div>
  );
}

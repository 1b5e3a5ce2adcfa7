import { X } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { useAction } from '../../../../platform/ui/calls/calls.ts';
import { Button, IconButton } from '../../../../platform/ui/controls/button.tsx';
import { TextField } from '../../../../platform/ui/controls/fields.tsx';
import { FormError } from '../../../../platform/ui/surfaces/states.tsx';
import { formatCount, TokenAmount } from '../../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { addGoal, endGoal } from '../../client.ts';
import type { OwnGoalView } from '../../contract.ts';
import { MAX_GOAL_TOKENS, MAX_TITLE_LENGTH } from '../../rules.ts';
import { useTipToolsChanges } from '../live.ts';
import { GoalProgress } from '../room/goal-bar.tsx';

/** The goals of a room, one after the other. */
export function GoalEditor({ goals }: { goals: readonly OwnGoalView[] }) {
  const { t, i18n } = useTranslation('tips');
  const add = useAction(addGoal);
  const end = useAction(endGoal);
  const { change } = useTipToolsChanges();
  const [title, setTitle] = useState('');
  const [target, setTarget] = useState('500');
  const tokens = Number(target);
  const isTarget = Number.isSafeInteger(tokens) && tokens >= 1 && tokens <= MAX_GOAL_TOKENS;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isTarget || add.busy) return;
    const done = await add.run({ title, target: tokens });
    if (!done) return;
    change(done);
    setTitle('');
  };
  const stop = async (id: number) => {
    const done = await end.run({ id });
    if (done) change(done);
  };
  return (
    <div className="flex flex-col gap-4">
      {goals.length === 0 ? <p className="text-sm text-muted">{t('goals.empty')}</p> : (
        <ul className="divide-y divide-line" aria-label={t('tools.tab.goals')}>
          {goals.map((goal) => (
            <li key={goal.id} className="flex items-center gap-2 py-2">
              <div className="flex min-w-0 grow flex-col gap-1">
                <span className="text-xs text-muted">{t(`goals.${goal.state}`)}</span>
                {goal.state === 'running' ? <GoalProgress goal={goal} /> : (
                  <p className="flex justify-between gap-3 text-sm">
                    <span className="min-w-0 break-words">{goal.title}</span>
                    <TokenAmount tokens={goal.target} className="shrink-0" />
                  </p>
                )}
              </div>
              <IconButton label={t('goals.end', { title: goal.title })} disabled={end.busy}
                onClick={() => void stop(goal.id)}>
                <X size={18} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
        <TextField label={t('goals.name')} name="title" autoComplete="off" maxLength={MAX_TITLE_LENGTH}
          value={title} onChange={(typed) => setTitle(typed.target.value)} />
        <TextField label={t('goals.target')} name="target" inputMode="numeric" autoComplete="off"
          value={target}
          error={isTarget ? undefined
            : t('goals.range', { max: formatCount(MAX_GOAL_TOKENS, i18n.language) })}
          onChange={(typed) => setTarget(typed.target.value.replaceAll(/[^\d]/gu, ''))} />
        <FormError problem={add.problem ?? end.problem} />
        <Button type="submit" wide busy={add.busy}>{t('goals.add')}</Button>
      </form>
    </div>
  );
}

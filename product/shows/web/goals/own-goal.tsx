import { useAction, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useLobby, useWhileAway } from '#platform/ui/calls/live.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Target } from 'lucide-react';
import { useState } from 'react';
import { endGroupGoal, getOwnGroupGoal, groupGoalTitleEmpty, startGroupGoal } from '../../client.ts';
import {
  MAX_GROUP_GOAL_MINUTES,
  MAX_GROUP_GOAL_TITLE,
  MAX_GROUP_GOAL_TOKENS,
  MIN_GROUP_GOAL_MINUTES,
  MIN_GROUP_GOAL_TOKENS,
} from '../../rules/group-goal.ts';
import { GroupGoalProgress } from './goal-progress.tsx';
import { showOwnGoal } from './live.ts';

/** The running group goal; takes no space without one. */
export default function OwnGroupGoal() {
  const { t } = useTranslation('shows');
  const read = useRead(getOwnGroupGoal, {}, useWhileAway(useLobby()));
  if (!read.data) return <ReadError read={read} />;
  const { goal } = read.data;
  if (goal === null) return null;
  return (
    <section data-now aria-labelledby="own-goal-title" className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <h2 id="own-goal-title" className="text-lg font-bold">{t('goal.title')}</h2>
        <EndGoal />
      </div>
      <GroupGoalProgress goal={goal} />
    </section>
  );
}

/** The button to start a group goal, while there is none. */
export function StartGroupGoal() {
  const { data } = useRead(getOwnGroupGoal, {});
  return data?.goal === null ? <StartButton /> : null;
}

/** Unmounts, with its open form, when the goal starts: after the goal the form does not reopen by itself. */
function StartButton() {
  const { t } = useTranslation('shows');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Target size={20} aria-hidden />} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t('goal.title')}
      </Button>
      {isOpen
        ? (
          <Dialog title={t('goal.title')} onClose={() => setOpen(false)}>
            <StartForm />
          </Dialog>
        )
        : null}
    </>
  );
}

function StartForm() {
  const { t } = useTranslation('shows');
  const form = useForm(startGroupGoal, {
    shape: async () => (await import('../../contract/group-goal.ts')).startGroupGoal,
    read: (fields) => ({
      title: textOf(fields, 'title'),
      tokens: Number(textOf(fields, 'tokens')),
      minutes: Number(textOf(fields, 'minutes')),
    }),
    fieldOf: { [groupGoalTitleEmpty.code]: 'title' },
    applied: showOwnGoal,
    onDone: () => undefined,
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-sm text-muted">{t('goal.lead')}</p>
      <TextField
        {...form.field('title')}
        required
        maxLength={MAX_GROUP_GOAL_TITLE}
        autoComplete="off"
        label={t('goal.what')}
      />
      <TextField
        {...form.field('tokens')}
        type="number"
        inputMode="numeric"
        required
        step={1}
        min={MIN_GROUP_GOAL_TOKENS}
        max={MAX_GROUP_GOAL_TOKENS}
        defaultValue={500}
        label={t('goal.tokens')}
      />
      <TextField
        {...form.field('minutes')}
        type="number"
        inputMode="numeric"
        required
        step={1}
        min={MIN_GROUP_GOAL_MINUTES}
        max={MAX_GROUP_GOAL_MINUTES}
        defaultValue={30}
        label={t('goal.minutes')}
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('goal.start')}</Button>
      </div>
    </form>
  );
}

function EndGoal() {
  const { t } = useTranslation('shows');
  const cache = useCache();
  const end = useAction(endGroupGoal);
  const [isAsking, setAsking] = useState(false);
  const finish = async () => {
    if (!(await end.run({}))) return;
    setAsking(false);
    showOwnGoal(cache, null);
  };
  return (
    <>
      <Button onClick={() => setAsking(true)}>{t('goal.end')}</Button>
      {isAsking
        ? (
          <ConfirmDialog
            title={t('goal.endTitle')}
            accept={t('goal.end')}
            reject={t('goal.keep')}
            tone="danger"
            busy={end.busy}
            onAccept={() => void finish()}
            onReject={() => setAsking(false)}
          >
            <p>{t('goal.endText')}</p>
            <FormError problem={end.problem} />
          </ConfirmDialog>
        )
        : null}
    </>
  );
}
